"""Amazon's cloud: aws, s3cmd, s5cmd, eb and what hands out its credentials."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hermes.policy.shell.effects import Effect
from hermes.policy.shell.model import Call, Program
from hermes.policy.shell.models.looking import Handler, changes_unless
from hermes.policy.shell.models.transfers import copies, starting

_LOOKS = """
help|history
* describe-*|list-*|get-*|head-*|batch-get-*|search*|lookup-*|select-*|filter-*|estimate-*|wait|help
* validate-*|simulate-*|preview-*|check-*|detect-*|compare-*|view-*|verify-*|evaluate-*|discover-*
* ls|scan|query|tail|generate-query|start-live-tail|start-query|analyze-*|classify-*|translate-*
* batch-describe-*|batch-detect-*|recognize-*|synthesize-*|decode-authorization-message
s3 presign
configure list|list-profiles|get
dynamodb transact-get-items|batch-get-item
"""
_GLOBAL = """
--profile --region --output --query --endpoint-url --color --ca-bundle --cli-read-timeout
--cli-connect-timeout --cli-binary-format --bucket --key --acl --storage-class --exclude --include
--content-type --cache-control --sse --sse-kms-key-id --metadata --grants --expires --page-size
"""
_S3 = starting("s3://", "arn:aws:s3")
_EMULATOR = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|localstack|minio)(?:[:/]|$)")


def _in_the_cloud(handler: Handler) -> Handler:
    """Return a handler that is silent about an emulator on this machine."""

    def judge(call: Call) -> Iterator[Effect]:
        if not _EMULATOR.match(call.value("--endpoint-url") or ""):
            yield from handler(call)

    return judge


PROGRAMS: dict[str, Program] = {
    "aws": Program(
        values=_GLOBAL,
        dry="--generate-cli-skeleton",
        handler=_in_the_cloud(changes_unless(_LOOKS, where="the cloud")),
    ),
    "aws s3": Program(values=_GLOBAL),
    "aws s3 cp|mv|sync": Program(values=_GLOBAL, handler=_in_the_cloud(copies(_S3, skip=2))),
    "s3cmd": Program(
        values="-c --config --access_key --secret_key --host --host-bucket --acl-grant --exclude",
        dry="-n",
        handler=changes_unless(
            "ls|la|info|du|multipart|cfinfo|ws-info|getlifecycle|getnotification|accesslog",
            where="the store",
        ),
    ),
    "s3cmd get|put|sync|cp|mv": Program(
        values="-c --config --exclude --include --acl-grant", handler=copies(_S3, skip=1)
    ),
    "s5cmd": Program(
        values="--endpoint-url --profile --numworkers --credentials-file --log -r --retry-count",
        handler=changes_unless("ls|cat|du|head|version|select", where="the store"),
    ),
    "s5cmd cp|mv|sync": Program(
        values="--endpoint-url --profile -c --concurrency --exclude", handler=copies(_S3, skip=1)
    ),
    "aws-vault": Program(values="--backend --prompt --keychain -d --duration"),
    "eb": Program(
        values="--profile -r --region -e --environment -c --cname -i --instance",
        handler=changes_unless(
            "status|health|events|logs|list|printenv|console|open|platform|init|use|local",
            where="the environment",
        ),
    ),
    "amplify": Program(
        values="--envName --appId",
        handler=changes_unless(
            """
            status|diagnose|codegen|console|init|mock|configure|serve|add|update|override|build|gen
            env list|get
            """,
            where="what is deployed",
        ),
    ),
}

RULES = """
aws secretsmanager get-secret-value|batch-get-secret-value => exfiltration: prints a secret
aws ssm get-parameter* --with-decryption => exfiltration: prints a secret
aws iam create-access-key|create-login-profile => exfiltration: makes credentials
aws sts assume-role* => exfiltration: prints credentials of another role
aws sts get-session-token|get-federation-token => exfiltration: prints credentials
aws ecr|ecr-public get-login*|get-authorization-token => exfiltration: prints a token
aws codeartifact get-authorization-token|login => exfiltration: prints a token
aws configure get *secret*|*access_key*|*token* => exfiltration: prints credentials
aws configure get *.*secret*|*.*access_key*|*.*token* => exfiltration: prints credentials
aws configure export-credentials => exfiltration: prints credentials
aws configure set|import|sso => privilege: changes the credentials of this machine
aws sso login|logout => privilege: signs in to the cloud
aws sso get-role-credentials => exfiltration: prints credentials
aws kms decrypt|generate-data-key|re-encrypt => exfiltration: decrypts with a key of the cloud
aws rds generate-db-auth-token => exfiltration: prints a token of a database
aws rds-data execute-statement|batch-execute-statement => database: runs a statement
aws redshift|redshift-serverless get-*credentials* => exfiltration: prints credentials
aws eks get-token => exfiltration: prints a token of the cluster
aws eks update-kubeconfig => overwrite: changes which cluster kubectl speaks to
aws ec2 get-password-data => exfiltration: prints a password
aws lightsail download-default-key-pair|get-instance-access-details => exfiltration: prints a key
aws cognito-identity get-credentials-for-identity|get-open-id-token* => exfiltration: prints a token
aws apigateway get-api-key* --include-value|--include-values => exfiltration: prints keys
aws lambda get-function* !--query => exfiltration: prints the settings of a function
aws appsync list-api-keys => exfiltration: prints keys
aws s3 presign => publish: makes a link that opens {} to everybody
aws s3 rm|rb !--endpoint-url => infrastructure: deletes {}
aws ec2 terminate-instances => infrastructure: terminates machines
aws s3api put-bucket-acl|put-object-acl|put-bucket-policy => publish: changes who may see a bucket
s3cmd del|rm|rb => infrastructure: deletes {}
s3cmd signurl => publish: makes a link that opens {} to everybody
s3cmd --dump-config => exfiltration: prints credentials
s3cmd setacl -P|--acl-public => publish: opens {} to everybody
s5cmd presign => publish: makes a link that opens {} to everybody
aws-vault exec|export|login|add|remove|rotate|clear => exfiltration: hands out credentials of {}
saml2aws|aws-google-auth|gimme-aws-creds|okta-awscli|assume => exfiltration: makes credentials
aws-shell|aws-sso => privilege: opens the cloud
amplify push|publish|delete|pull => publish: changes what is deployed
eb printenv => exfiltration: prints the environment of a service
"""
