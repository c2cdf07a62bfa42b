"""The report and the pages of trajectories in a real browser, with runs that try to take them over."""

from __future__ import annotations

from pathlib import Path

import pytest

CONTRAST = Path(__file__).parent / "contrast.js"
READY = "document.readyState === 'complete'"


def page_of_the_long_run(written: Path) -> Path:
    """The one page with ten million characters behind it: the only one that says so."""
    [page] = [
        path for path in (written / "trajectories").iterdir() if "of them left out" in path.read_text("utf-8")
    ]
    return page


def page_with(written: Path, text: str) -> Path:
    return next(
        path for path in sorted((written / "trajectories").iterdir()) if text in path.read_text("utf-8")
    )


def show(opened, path: Path):
    opened.page.goto(path.as_uri())
    opened.page.wait_for_function(READY)
    return opened.page


def names(page, selector="table.headline tbody.monitor"):
    return page.eval_on_selector_all(f"{selector} tr th .title", "all => all.map(one => one.textContent)")


def numbers(page, column: int) -> list[float]:
    cells = page.eval_on_selector_all(
        "table.headline tbody.monitor tr",
        f"rows => rows.filter(row => !row.hidden).map(row => Number(row.cells[{column}].dataset.sort))",
    )
    return [float(cell) for cell in cells]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_opens_without_a_word_on_the_console_or_a_request(written, opened, scheme):
    opened.page.emulate_media(color_scheme=scheme)
    for path in [written / "report.html", page_of_the_long_run(written)]:
        page = show(opened, path)
        assert page.evaluate("window.owned") is None
        assert page.eval_on_selector_all("script", "all => all.length") == 1
    assert opened.said == []
    assert all(address.startswith(("file:", "data:")) for address in opened.asked)


def test_hostile_text_makes_no_element_and_is_there_to_read(written, opened):
    for path in [written / "report.html", *(written / "trajectories").iterdir()]:
        page = show(opened, path)
        made = page.evaluate(
            "document.querySelectorAll('img, iframe, form, base, math, object, embed').length"
        )
        assert made == 0
        attributes = page.eval_on_selector_all(
            "*", "all => all.flatMap(e => [...e.attributes].map(a => a.name))"
        )
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        targets = page.eval_on_selector_all("[href]", "all => all.map(e => e.getAttribute('href'))")
        assert not [target for target in targets if target.startswith(("javascript", "http"))]
        assert "<script>window.owned=1</script>" in page.content().replace("&lt;", "<").replace("&gt;", ">")
    assert opened.page.evaluate("window.owned") is None


def test_what_turns_the_direction_of_writing_is_written_out(written, opened):
    for path in [written / "report.html", page_of_the_long_run(written)]:
        text = show(opened, path).evaluate("document.documentElement.textContent")
        assert not set(text) & set("\u202e\u2066\u200b\x00\x1b")
    assert "U+202E" in text


def test_a_click_on_a_head_sorts_and_another_one_turns_the_order(written, opened):
    page = show(opened, written / "report.html")
    head = page.locator("table.headline thead button", has_text="log-AUROC")
    head.click()
    assert numbers(page, 2) == sorted(numbers(page, 2), reverse=True)
    assert page.locator("table.headline thead th").nth(2).get_attribute("aria-sort") == "descending"
    head.click()
    assert numbers(page, 2) == sorted(numbers(page, 2))


def test_the_keyboard_alone_sorts_and_filters(written, opened):
    page = show(opened, written / "report.html")
    page.locator("table.headline thead button").first.focus()
    page.keyboard.press("Enter")
    assert names(page) == sorted(names(page), key=str.lower)
    page.keyboard.press("/")
    page.keyboard.type("watch3")
    assert [name for name in names(page) if "watch3" in name]
    visible = page.eval_on_selector_all(
        "table.headline tbody tr:not(.group)", "rows => rows.filter(r => r.offsetHeight > 0).length"
    )
    assert visible == 1
    assert page.locator(".filter [role=status]").first.text_content().startswith("1 of ")
    page.keyboard.press("Escape")
    assert page.locator(".filter [role=status]").first.text_content() == ""


def test_a_long_table_shows_its_first_rows_until_asked_or_searched(written, opened, tmp_path):
    html = (written / "report.html").read_text("utf-8")
    before, errors = html.split('<table class="sortable wide errors"')
    head, rest = errors.split("<tbody>", 1)
    rows, after = rest.split("</tbody>", 1)
    long = tmp_path / "report.html"
    long.write_text(
        f'{before}<table class="sortable wide errors"{head}<tbody>{rows * 20}</tbody>{after}',
        encoding="utf-8",
    )
    page = show(opened, long)
    table = page.locator("table.errors")
    visible = "rows => rows.filter(row => row.offsetHeight > 0).length"
    n_rows = table.locator("tbody tr").count()
    assert n_rows > 36
    assert table.locator("tbody tr").evaluate_all(visible) == 24
    rest = page.locator(".scroll:has(table.errors) + .rest")
    assert f"24 of {n_rows} rows are shown; all are in errors.csv." in rest.text_content()
    table.locator("thead button").first.click()
    assert table.locator("tbody tr").evaluate_all(visible) == 24
    page.get_by_label("Filter the rows of: Runs on which monitors err").fill("p0")
    found = table.locator("tbody tr").evaluate_all(visible)
    assert found == table.locator("tbody tr", has_text="p0").count()
    page.keyboard.press("Escape")
    button = rest.locator("button")
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert table.locator("tbody tr").evaluate_all(visible) == n_rows


def test_the_switch_shows_one_metric_at_a_time(written, opened):
    page = show(opened, written / "report.html")
    figure = page.locator("figure.choice").first
    shown = "all => all.map(one => one.offsetHeight > 0)"
    assert figure.locator(".drawing").evaluate_all(shown) == [True, False, False]
    figure.locator("input").nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert figure.locator(".drawing").evaluate_all(shown) == [False, True, False]


def test_a_run_on_which_monitors_err_leads_to_its_page_and_back(written, opened):
    page = show(opened, written / "report.html")
    page.locator("table.errors tbody th a").first.click()
    page.wait_for_url("**/trajectories/*.html")
    assert page.locator("ol.steps li.step").count() == 3
    page.locator(".bar-top a", has_text="Report").click()
    page.wait_for_url("**/report.html")


def test_an_excerpt_leads_into_its_step_however_long_that_is(written, opened):
    page = show(opened, page_of_the_long_run(written))
    step = page.locator("#step-2")
    assert "left out here" in step.text_content()
    # ten million characters are not sent to the reader's screen
    assert len(step.text_content()) < 50_000
    link = page.locator("a[data-quote]", has_text="step 2").first
    page.locator("details.verdict").first.evaluate("details => details.open = true")
    link.click()
    target = page.locator(link.get_attribute("href"))
    assert target.evaluate("e => e.closest('mark').textContent.startsWith(\"open('/tmp\")")
    assert target.evaluate("e => e === document.activeElement")
    box = target.evaluate("e => e.closest('mark').getBoundingClientRect().top")
    assert 0 <= box <= 900


def test_quotes_and_marks_say_what_they_are_without_colour(written, opened):
    page = show(opened, page_of_the_long_run(written))
    mark = page.locator("#step-2 mark").first
    assert mark.get_attribute("title") == "quoted by 1, exact match"
    assert mark.get_attribute("data-by") == "1"
    assert (
        page.locator("#step-2 .truth").first.get_attribute("title") == "the environment’s mark: incriminating"
    )
    assert page.locator("#step-0 mark").first.get_attribute("title") == "quoted by 1, normalised match"
    assert page.locator(".quotes .missing", has_text="not in the transcript").count() == 1


def test_keys_walk_the_steps_and_the_quotes(written, opened):
    page = show(opened, page_of_the_long_run(written))
    focused = "document.activeElement.id"
    page.keyboard.press("j")
    assert page.evaluate(focused) == "step-0"
    page.keyboard.press("j")
    assert page.evaluate(focused) == "step-1"
    page.keyboard.press("k")
    assert page.evaluate(focused) == "step-0"
    page.keyboard.press("e")
    assert page.evaluate(focused).startswith("quote-1-")


def test_a_monitors_errors_are_walked_one_after_the_other(written, opened):
    page = show(opened, page_with(written, 'data-walk="next"'))
    start = page.url
    link = page.locator('[data-walk="next"]').first
    anchor = link.get_attribute("href").partition("#")[2]
    page.keyboard.press(".")
    page.wait_for_url("**/*#by-*")
    assert page.url.endswith(anchor)
    assert page.url.partition("#")[0] != start.partition("#")[0]
    assert page.locator(f"#{anchor}").evaluate("details => details.open")
    page.keyboard.press(",")
    page.wait_for_function("start => location.href.split('#')[0] === start", arg=start.partition("#")[0])


def test_a_long_step_is_folded_and_unfolds_by_button(written, opened):
    page = show(opened, page_of_the_long_run(written))
    text = page.locator("#step-2 .text")
    folded = text.evaluate("e => e.offsetHeight")
    button = page.locator("#step-2 button.unfold")
    assert button.get_attribute("aria-expanded") == "false"
    button.click()
    assert button.get_attribute("aria-expanded") == "true"
    assert text.evaluate("e => e.offsetHeight") > folded


LISTED = """kind => {
    const list = document.createElement("ul");
    list.className = kind;
    list.innerHTML = '<li><a href="#">step 10</a> incriminating</li>'.repeat(60);
    document.querySelector("aside section").append(list);
    const end = list.getBoundingClientRect().bottom;
    return [...list.children].map(row => row.getBoundingClientRect())
        .map(row => row.bottom < end + 1 ? "seen" : row.top > end - 1 ? "below" : "cut");
}"""


@pytest.mark.parametrize("width", [390, 1400])
def test_no_row_of_a_list_of_marks_or_looks_is_cut_in_two(written, opened, width):
    opened.page.set_viewport_size({"width": width, "height": 900})
    page = show(opened, page_of_the_long_run(written))
    assert set(page.evaluate(LISTED, "marks")) == {"seen"}
    assert set(page.evaluate(LISTED, "looks")) == {"seen", "below"}
    page.emulate_media(media="print")
    assert set(page.evaluate(LISTED, "looks")) == {"seen"}


@pytest.mark.parametrize("width", [360, 390, 600, 800])
@pytest.mark.parametrize("target", ["steps", "truth", "verdicts", "step-2"])
def test_what_a_link_leads_to_stands_below_the_bar(written, opened, target, width):
    opened.page.set_viewport_size({"width": width, "height": 700})
    page = show(opened, page_of_the_long_run(written))
    page.evaluate("target => location.hash = target", target)
    top = page.locator(f"#{target}").evaluate("place => place.getBoundingClientRect().top")
    assert page.locator(".bar-top").evaluate("bar => bar.getBoundingClientRect().bottom") <= top < 350


@pytest.mark.parametrize("width", [390, 1400])
def test_nothing_but_boxes_that_scroll_is_wider_than_the_screen(written, opened, width):
    opened.page.set_viewport_size({"width": width, "height": 900})
    for path in [written / "report.html", page_of_the_long_run(written)]:
        page = show(opened, path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_from_its_ground(written, opened, scheme):
    opened.page.emulate_media(color_scheme=scheme)
    for path in [written / "report.html", page_of_the_long_run(written)]:
        page = show(opened, path)
        page.evaluate("document.querySelectorAll('details').forEach(e => e.open = true)")
        assert page.evaluate(CONTRAST.read_text(encoding="utf-8")) == []
