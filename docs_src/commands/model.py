from hermes.policy.shell.model import Program, rules, told_apart

PROGRAMS = {
    "shipit": Program(
        operands="read* net",
        values="-e --environment",
        options={"-o|--output": "write"},
        dry="--plan",
    ),
}

RULES = """
shipit rollout !--plan      => infrastructure: rolls out {}
shipit ... --environment=prod => publish: changes what customers see
"""

call = told_apart("shipit", ["rollout", "-e", "staging", "api"], PROGRAMS["shipit"])
print(call.operands, dict(call.flags))
for name, rule in rules(RULES):
    effect = rule.effect(call)
    print(name, "→", effect.what if effect else "no danger")
