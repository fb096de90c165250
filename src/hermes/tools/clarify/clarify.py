"""Ask the person."""

from typing import Annotated, Any

from hermes.services.clarify import MOST_CHOICES, Clarifier
from hermes.tools import Field, ToolContext, tool

LONGEST_WAIT = 86_400


@tool(toolset="clarify", effects="none", parallel=False, timeout_seconds=LONGEST_WAIT, emoji="❓")
async def clarify(
    question: str,
    choices: Annotated[list[str], Field(max_length=MOST_CHOICES)] | None = None,
    *,
    ctx: ToolContext,
) -> dict[str, Any]:
    """Ask the person one question and wait for the answer.

    Use it when the task can be read in ways that lead to different work, or before a choice that
    is theirs. Do not ask what you can find out, nor for leave: dangerous calls ask by themselves.

    Args:
        question: One clear question, with what they need to know to answer it.
        choices: Up to four likely answers; they can always give another. Leave out for an open
            question.
    """
    answer = await ctx.use(Clarifier).ask(ctx.task_id, question, choices or ())
    return {"question": question, "answer": answer.text, "answered_by": answer.by}
