from hermes.cli.asking_screen import Look, choices, draw
from hermes.policy.deeds import Asked, deed_of, place
from hermes.runtime.approvals import ApprovalRequest

command = "cd src && rm -rf ../../other && git push --force origin topic"
arguments, permissions = {"command": command}, ("terminal:execute",)
where = place("/home/me/app", ("/home/me/app",), "/home/me", "/home/me/.hermes")
deed = deed_of(Asked(("terminal",), permissions, arguments, None, where))
request = ApprovalRequest(
    tool="terminal",
    arguments=arguments,
    permissions=permissions,
    reason=deed.findings[0].what,
    rule="approval_required: danger:*",
    task_id="default",
    call_id="call_1",
    findings=deed.findings,
    deed=deed,
    cwd="/home/me/app",
    seconds=60,
)
screen = draw(request, Look(width=96))
print("\n".join([*screen.lines, *choices(request, Look(width=96), is_whole=screen.is_whole)]))
