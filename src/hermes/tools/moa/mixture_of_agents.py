"""Ask several models at once."""

from typing import Annotated, Any

from hermes.base.errors import InvalidArguments
from hermes.services.mixture import MOST_MODELS, Mixture
from hermes.tools import Field, ToolContext, tool

LONGEST_WAIT = 7_200


@tool(
    toolset="moa",
    permissions=["model:ask"],
    effects="network",
    timeout_seconds=LONGEST_WAIT,
    subjects={},
    emoji="🎻",
)
async def mixture_of_agents(
    prompt: str,
    models: Annotated[list[str], Field(max_length=MOST_MODELS)] | None = None,
    aggregator: str | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Ask several models the same hard question at once and get one answer made of theirs.

    Use it rarely, for problems of thought where one mind may err: proofs, algorithms, hard bugs,
    weighing designs. It is slow and costs many times one answer, and the models have no tools.

    Args:
        prompt: The whole question with all that is needed to answer it; they see nothing else.
        models: Names such as provider:model; left out = those of the settings.
        aggregator: The model that makes one answer of theirs; left out = that of the settings.
    """
    if not prompt.strip():
        raise InvalidArguments("there is no question", hint="Write the whole question.")
    result = await ctx.use(Mixture).ask(ctx, prompt, models or (), aggregator)
    failed = {one.model: one.error for one in result.opinions if one.error}
    return {
        "answer": result.text,
        "made_by": result.aggregator,
        "made_of": [one.model for one in result.opinions if not one.error],
        **({"failed": failed} if failed else {}),
        **({"note": result.note} if result.note else {}),
    }
