"""What is shown of a wrong function whose results are texts: a list of names, or a story."""

from labutils.exercises.checkers import Function


def texts():
    from hypothesis import strategies as st

    return st.tuples(st.lists(st.sampled_from(["ada", "bob", "cy"]), min_size=1, max_size=4))


def names(queue):
    return [name for name in queue if name != "cy"]


def story(queue):
    return [f"{name} comes" for name in names(queue)] or ["nobody comes"]


def checked(reference, answer):
    return Function(reference=reference, inputs=texts).check(answer)


def test_names_are_shown_as_the_lists_that_they_are():
    verdict = checked(names, lambda queue: [name for name in queue if name != "bob"])
    assert "story" not in verdict.message and "The smallest failing case" in verdict.message
    assert verdict.detail.splitlines()[1:] in (
        ["expected  ['bob']", "got       []"], ["expected  []", "got       ['cy']"],
    )  # fmt: skip


def test_sentences_are_shown_where_they_part():
    verdict = checked(story, lambda queue: [*story(queue)[:1], "bob waits"])
    assert verdict.message.startswith("The story goes on otherwise: expected `")
    assert "got `bob waits`" in verdict.message


def test_a_story_that_is_told_rightly_does_not_go_on_otherwise():
    def empties_the_queue(queue):
        told = story(queue)
        queue.clear()
        return told

    verdict = checked(story, empties_the_queue)
    assert verdict.diagnosis == "mutates-input"
    assert "nothing more" not in verdict.message + verdict.detail
    assert "the argument is not as it was" in verdict.detail and "expected" not in verdict.detail
