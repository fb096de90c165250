"""Rarely met programs that change what others rely on, each by a rule or two."""

from __future__ import annotations

RULES = """
conan remove -r|--remote => publish: removes packages that others use
rndc delzone|delkey|signing => service: changes the name server
dog monitor|dashboard|timeboard|screenboard|downtime delete|delete-* => infrastructure: deletes {}
ipa *-add|*-add-*|*-del|*-mod|*-remove-*|*-disable => privilege: changes users or rights: {}
adb reboot|uninstall|sideload|root|remount|push|install => infrastructure: changes a phone
adb shell rm|recovery|wipe|pm|settings|svc|reboot|am => infrastructure: changes a phone
fastboot flash|erase|format|oem|flashing|reboot|update|-w => disk: changes a phone's storage
idevicerestore => disk: wipes and restores a phone
hdiutil erasekeys|chpass => disk: makes a disk image unreadable
systemd-repart --dry-run=no|--empty => disk: changes partitions
augtool set|rm|insert|mv => overwrite: changes settings of the machine
wp config get|list => exfiltration: prints settings, passwords among them
wp user|plugin|db|option|site create|delete|drop|reset|update => database: changes the site
buildkite-agent stop => service: stops the build agent
ldcli flags|segments|projects toggle-*|update|delete|create|archive => infrastructure: changes flags
pd incident|service|schedule resolve|ack|delete|set|update => infrastructure: changes incidents
amtool silence add|expire|update => infrastructure: hides alarms
kioclient|kioclient5|gio|gvfs-rm del|remove|trash|rm|move => delete: deletes {}
mysqld_safe|mysqld --skip-grant-tables => privilege: opens the database to everybody
mysqlcheck --repair|-r|--optimize => database: changes tables
mvn|mvnw|gradle|gradlew ... jib:build|jib => publish: publishes {}
R CMD INSTALL => overwrite: installs packages on the machine
conan remove -c|--confirm|-f|--force => delete: removes packages from the cache of every project
vcpkg remove --recurse|--outdated => delete: removes installed libraries
gdrive|drive|skicka upload|push|put|share => exfiltration: uploads {}
gdrive|drive files|permissions upload|import|share|delete => exfiltration: uploads or shares {}
asciinema upload => publish: shows {} to everybody
ray stop|down|submit => infrastructure: changes what runs in the cluster
sky down|stop|cancel|launch|exec => infrastructure: changes what runs in the cluster
syncthing cli config|operations => exfiltration: changes who gets the files
hciconfig * down|up|reset|noscan|name => service: changes the machine's radio
pkgutil --forget|--unlink => overwrite: makes the machine forget what is installed
npkill -D|--delete-all => delete: deletes what was installed in all projects
keytool -importkeystore|-rfc|-exportcert => exfiltration: copies keys out of a store
"""
