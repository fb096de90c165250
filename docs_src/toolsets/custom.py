from hermes.tools import get_tool_definitions
from hermes.toolsets import create_custom_toolset, is_toolset_available, resolve_toolset

create_custom_toolset("quiet", "Nothing that makes a sound.", tools=["sleep", "system_info"])
create_custom_toolset("desk", "What a desk needs.", tools=["clipboard"], includes=["quiet"])

print(resolve_toolset("desk"))
print(is_toolset_available("desk"))
print([tool["name"] for tool in get_tool_definitions(["desk"], ["sleep"], format="anthropic")])
print(resolve_toolset("system_tools"))  # a legacy name
