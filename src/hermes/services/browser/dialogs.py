"""Answer the dialogs of pages."""

from __future__ import annotations

from hermes.base.errors import ToolError
from hermes.services.browser.session import Session


async def answer(session: Session, action: str, text: str | None) -> None:
    """Answer the dialog that is open.

    Raises:
        ToolError: there is none.
    """
    dialog = session.events.dialog
    if dialog is None:
        raise ToolError("no dialog is open", code="no_dialog", hint="Go on with the page.")
    session.events.answered()
    if action == "accept":
        await dialog.accept(text if text is not None else dialog.default_value)
    else:
        await dialog.dismiss()
