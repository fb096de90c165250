"""Rarely met programs that change what others rely on, each by a rule or two."""

from __future__ import annotations

from hermes.policy.shell.model import Program

PROGRAMS = {
    "keytool": Program(
        dashes="single",
        values="-keystore -alias -file -storepass -keypass -srckeystore -destkeystore -storetype",
    ),
    "nvidia-smi": Program(
        dashes="single", values="-i -d -l -f -pl -pm -c -mig -lgc -ac -e --id --query-gpu --format"
    ),
    "puttygen": Program("text*", values="-O -C -t -b", options={"-o": "write"}),
}

RULES = """
pre-commit init-templatedir => persistence: plants hooks into every new repository
keyctl print|read|pipe => exfiltration: prints a key that the kernel keeps
keyctl revoke|unlink|clear|reap|purge|invalidate => privilege: removes keys that the kernel keeps
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
buildkite-agent pipeline|artifact|annotate upload|* => infrastructure: changes what the build runs
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
sbatch|qsub|bsub|condor_submit|salloc|msub|oarsub => infrastructure: gives work to a shared cluster
scancel|qdel|bkill|condor_rm|oardel|scontrol => infrastructure: changes what a cluster runs
reg save|export => exfiltration: writes out a part of the registry
certutil -addstore|-importpfx => privilege: changes which certificates are trusted
gconftool-2 --recursive-unset|--unset|--set => overwrite: changes settings of the user
gnome-disks --restore-disk-image|--format-device => disk: overwrites a disk
f3write|f3fix|f3brew => disk: fills a disk
mcdel|mcwipe|mdel|mdeltree|mformat|mdelete => delete: deletes {}
swift delete -a|--all|-f => infrastructure: deletes all of the store
swift delete|post|upload => infrastructure: changes the store: {}
megarm|megaput|megacopy|mega-rm|mega-put|mega-sync => infrastructure: changes a store: {}
ansible-galaxy install|role|collection !-p|--roles-path|-r|--role-file|list|search|info|init|build \
    => network-exec: takes code from galaxy
nsc generate|export creds|keys|account => exfiltration: writes out credentials
tctl|tsh auth|tokens|users sign|add|export|rotate => exfiltration: makes credentials
neonctl|neon connection-string|cs => exfiltration: prints credentials
turso db|group|auth tokens|token create|invalidate|mint => exfiltration: makes credentials
turso auth token|api-tokens => exfiltration: prints a token
pscale password|service-token create|delete|renew => exfiltration: makes credentials
upstash redis|kafka get|list|reset-password => exfiltration: prints credentials
eas env:pull|env:get|env:exec|secret:list|credentials => exfiltration: writes out secrets
ray stop|down|submit => infrastructure: changes what runs in the cluster
sky down|stop|cancel|launch|exec => infrastructure: changes what runs in the cluster
syncthing cli config|operations => exfiltration: changes who gets the files
hciconfig * down|up|reset|noscan|name => service: changes the machine's radio
pkgutil --forget|--unlink => overwrite: makes the machine forget what is installed
npkill -D|--delete-all => delete: deletes what was installed in all projects
keytool -importkeystore|-exportcert|-genseckey => exfiltration: copies keys out of a store
snmpset => infrastructure: changes a device on the network
gpioset|i2cset|i2ctransfer|pinctrl => infrastructure: changes what is wired to the machine
picotool load|erase|reboot|save => infrastructure: changes a device
mpremote|ampy|rshell rm|rmdir|cp|put|run|exec|reset => infrastructure: changes a device
bossac|teensy_loader_cli|uf2conv|wchisp|JLinkExe|commander => infrastructure: changes a device
idf.py|west|probe-rs flash|erase-flash|erase_flash|download|erase => disk: changes a device
pio|platformio run -t=upload|--target=upload|-t=erase|--target=erase => disk: changes a device
nvidia-smi -r|--gpu-reset|-pl|--power-limit|-pm|-c|-mig => service: changes the graphics card
nvidia-smi -lgc|-lmc|-ac|-e|-rac|--persistence-mode => service: changes the graphics card
tpm2_clear|tpm2_changeauth|tpm2_evictcontrol => privilege: changes the keys of the machine
taskset|chrt|cpulimit -p|--pid !own-pid => process: changes processes that are not ours
krew|kubectl-krew install|uninstall|upgrade|remove => overwrite: changes the tools of the user
tlmgr install|remove|update|restore|backup => overwrite: changes what is installed on the machine
csf -x|-f|-d|-a|-e|-r => privilege: changes the firewall
keytool -import|-importcert|-delete|-storepasswd|-keypasswd => privilege: changes a store of keys
incrontab -e|-r|-d => persistence: changes what runs when files change
incrontab * => persistence: changes what runs when files change
terraspace up|down|all|seed|new => infrastructure: changes what is deployed
fluxctl sync|release|automate|deautomate|lock|unlock|policy => infrastructure: changes the cluster
k9s --command => infrastructure: acts on a cluster
mlflow gc => delete: deletes runs and models for good
pyinfra * => infrastructure: changes machines: {}
ovhai|runpodctl|vastai|modal stop|kill|delete|remove|destroy => infrastructure: stops {}
ovhai|runpodctl|vastai|modal * stop|kill|delete|remove|destroy => infrastructure: stops {}
apptainer|singularity run|exec|shell docker://*|oras://*|library://*|shub://*|http*://* \
    => network-exec: fetches {} and runs it
streamlit|voila|chainlit|marimo|gradio ... http*://* => network-exec: runs code from {}
jupyter|papermill ... http*://* => network-exec: runs code from {}
dolt reset --hard => history-rewrite: throws away changes that are not committed
dolt clean|gc|revert|branch -f|--force|-D|-d => history-rewrite: throws away {}
dolt push -f|--force => history-rewrite: overwrites history on the remote
cvs update|up -C => history-rewrite: throws away changes that are not committed
cvs ... commit|ci|remove|admin|tag|rtag => publish: changes the shared repository
rbw get|code|history|sync|unlock|remove|purge => exfiltration: opens the secret {}
eyaml decrypt|edit => exfiltration: decrypts secrets
puttygen -O=private* => exfiltration: writes out a private key
logkeys|lkl|keylogger => exfiltration: records what is typed
yarn|pnpm config get *Auth*|*auth*|*oken* => exfiltration: prints a token
git flow release|hotfix|feature|bugfix finish -p|--push|--pushproduction => publish: pushes {}
git flow release|hotfix|feature|bugfix publish|delete => publish: changes the remote: {}
dotnet ef migrations remove -f|--force => database: undoes a migration
jj op|operation restore|undo|abandon => history-rewrite: takes back what was done
xcrun altool|iTMSTransporter --upload-app|--upload-package|-m => publish: uploads {}
xcrun notarytool submit => publish: uploads {}
circleci|buildkite|bk|dagster|prefect|opsgenie ... create|trigger|launch|close|cancel|rebuild \
    => infrastructure: changes what others see or run: {}
pagerduty|pd|sendgrid|mailgun|opsgenie ... create|close|resolve|mail:send|ack|acknowledge \
    => infrastructure: changes what others see: {}
fastboot -w => disk: wipes a phone
xwd|spectacle|gnome-screenshot|flameshot => exfiltration: takes a picture of the screen
unison -force|-prefer|--force|--prefer => overwrite: lets one side replace the other
conntrack -F|--flush|-D|--delete|-U|--update => service: cuts connections of the machine
alien -i|--install => overwrite: installs a package on the machine
maas * machine|machines|node|nodes release|delete|deploy|abort|power-off|commission \
    => infrastructure: changes machines: {}
akeyless get-secret-value|get-*-value|get-rotated-* => exfiltration: prints a secret
keybase pgp export -s|--secret => exfiltration: prints a private key
dnscat|dnscat2|iodine|dns2tcpc|dnstt-client|chisel|ligolo|sliver-client \
    => exfiltration: opens a hidden way out of the machine
mcrypt|ccrypt|bcrypt -u|--unlink|-e => delete: leaves only an encrypted copy of {}
wasmtime|wasmer|wasmedge|wazero|spin ... http*://* => network-exec: runs code from {}
npm|pnpm|yarn --script-shell=/tmp*|--script-shell=~*|--script-shell=/home* \
    => obfuscation: has scripts run by a program of its choosing
"""
