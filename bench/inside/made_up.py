"""Sources of made-up tools: typed functions with Google docstrings, and the same as models."""

REQUIRED = (
    ("query", "str", "What to look for, in a few words."),
    ("tags", "list[str]", "Only documents that carry all of these."),
)
OPTIONAL = (
    ("limit", "int", "20", "How many to return at most."),
    ("mode", "Literal['fast', 'exact', 'deep']", "'fast'", "How thorough to be."),
    ("since", "Optional[str]", "None", "Only documents changed after this date."),
    ("ratio", "float", "0.5", "How similar a document must be, from 0 to 1."),
    ("fields", "list[str] | None", "None", "The fields to return; all when left out."),
    ("strict", "bool", "False", "Refuse documents that cannot be read."),
)
TYPES = "from typing import Literal, Optional\n"


def function_source(number: int) -> str:
    """Return a function of 3 to 8 parameters; the number chooses how many."""
    optional = OPTIONAL[: 1 + number % len(OPTIONAL)]
    heads = [f"{name}: {kind}" for name, kind, _ in REQUIRED]
    heads += [f"{name}: {kind} = {default}" for name, kind, default, _ in optional]
    words = [f"        {name}: {text}" for name, *_, text in (*REQUIRED, *optional)]
    return "\n".join(
        [
            f"def search_{number}({', '.join(heads)}) -> dict[str, int]:",
            f'    """Search collection {number} for the documents that match best.',
            "",
            "    Use it when a question is about what these documents say.",
            "",
            "    Args:",
            *words,
            '    """',
            "    return {}",
            "",
        ]
    )


def model_source(number: int) -> str:
    """Return the same parameters as a pydantic model."""
    optional = OPTIONAL[: 1 + number % len(OPTIONAL)]
    lines = [f"    {name}: {kind} = Field(description={text!r})" for name, kind, text in REQUIRED]
    lines += [
        f"    {name}: {kind} = Field(default={default}, description={text!r})"
        for name, kind, default, text in optional
    ]
    about = f'    """Search collection {number} for the documents that match best."""'
    return "\n".join([f"class Search{number}(BaseModel):", about, *lines, ""])


def module_source(number: int, toolset: str) -> str:
    """Return a tool module as they are written by hand."""
    head = '"""Search one collection."""\n\n' + TYPES + "\nfrom hermes.tools import tool\n\n\n"
    return f'{head}@tool(toolset="{toolset}", effects="read")\n{function_source(number)}'


def functions(count: int) -> list:
    """Return that many functions."""
    names: dict = {}
    text = TYPES + "\n".join(function_source(number) for number in range(count))
    exec(compile(text, "<made up>", "exec", dont_inherit=True), names)
    return [names[f"search_{number}"] for number in range(count)]
