import pytest

from hermes.agent.events import Done, Noted
from hermes.agent.guards import Guard, Patience, Seen
from hermes.agent.options import AgentOptions
from hermes.llm.scripted import Scripted, call


def seen(answer="same", name="look", arguments=None, *, is_error=False):
    return Seen(name, {"at": 1} if arguments is None else arguments, answer, is_error)


def looks(guard, *rounds):
    return [guard.look([one] if isinstance(one, Seen) else one) for one in rounds]


def kinds(advice):
    return ["" if one is None else "end" if one.is_end else "nudge" for one in advice]


@pytest.mark.proves("agent-circles")
def test_the_same_call_with_the_same_answer_is_nudged_then_stopped():
    assert kinds(looks(Guard(), *[seen()] * 7)) == ["", "", "", "nudge", "", "", "end"]


def test_a_call_whose_answer_changes_goes_on():
    assert set(kinds(looks(Guard(), *[seen(f"line {'x' * n}") for n in range(50)]))) == {""}


def test_going_back_and_forth_between_known_answers_is_noticed():
    rounds = [seen("a", "first"), seen("b", "second")] * 5
    assert kinds(looks(Guard(), *rounds))[:8] == ["", "", "", "", "nudge", "", "", "end"]


def test_a_change_between_two_looks_counts_as_news():
    rounds = []
    for number in range(10):
        rounds += [seen("ok", "write", {"text": "x" * number}), seen("failed", "test")]
    assert set(kinds(looks(Guard(), *rounds))) <= {"", "nudge"}
    assert "end" not in kinds(looks(Guard(), *rounds))


@pytest.mark.proves("agent-circles")
def test_the_same_failure_with_other_arguments_is_nudged_then_stopped():
    rounds = [
        seen(f'{{"error":"no line {n}","code":"missing"}}', "patch", {"n": n}, is_error=True)
        for n in range(8)
    ]
    assert kinds(looks(Guard(), *rounds)) == ["", "", "nudge", "", "", "", "", "end"]


def test_a_success_or_another_failure_starts_the_count_anew():
    fail = seen('{"error":"no","code":"a"}', is_error=True)
    other = seen('{"error":"never","code":"b"}', is_error=True)
    rounds = [fail, fail, other, seen("fine", "x"), fail, fail]
    assert "end" not in kinds(looks(Guard(), *rounds))
    assert kinds(looks(Guard(Patience(stale=(99, 99))), *rounds)) == [""] * 6


def test_somebody_who_waits_is_nudged_and_not_stopped():
    rounds = [seen(f"{n} % done") for n in range(30)]
    found = kinds(looks(Guard(), *rounds))
    assert found.count("nudge") == 1
    assert "end" not in found


def test_the_order_and_the_form_of_arguments_make_no_difference():
    one = seen(arguments={"a": 1, "b": 2})
    other = seen(arguments='{"b": 2, "a": 1}')
    assert kinds(looks(Guard(), one, other, one, other))[-1] == "nudge"


def test_several_calls_are_stale_only_when_all_of_them_are():
    guard = Guard()
    rounds = [[seen(), seen(f"new {'x' * n}", "other")] for n in range(9)]
    assert set(kinds(looks(guard, *rounds))) <= {"", "nudge"}


@pytest.mark.parametrize("answer", ["not json", "[]", '{"error":7}', ""])
def test_any_answer_can_be_looked_at(answer):
    assert Guard().look([seen(answer, is_error=True)]) is None
    assert Guard().look([]) is None


@pytest.mark.proves("agent-circles")
def test_a_model_in_circles_reads_the_nudge_and_is_then_left_without_tools(agent, play):
    def again(request):
        return "I give up" if request.tool_choice == "none" else call("echo", text="same")

    one, _ = agent([])
    one.model = model = Scripted(again)
    events = play(one)
    notes = [event.text for event in events if isinstance(event, Noted)]
    assert len(notes) == 2
    assert events[-1].ending == "stuck"
    assert events[-1].text == "I give up"
    assert "repeated" in events[-1].error
    said = [message.text for message in model.requests[-1].messages if message.role == "tool"]
    assert any("Calling it once more will not change that" in text for text in said)
    assert len(model.requests) == 8


def test_patience_can_be_chosen(agent, play):
    options = AgentOptions(patience=Patience(stale=(1, 2)))
    one, _ = agent([], options=options)
    one.model = Scripted(
        lambda request: "end" if request.tool_choice == "none" else call("echo", text="same")
    )
    assert play(one)[-1] == Done(
        "end",
        "stuck",
        "The last 2 rounds repeated calls and got what was known already (echo).",
        rounds=4,
    )
