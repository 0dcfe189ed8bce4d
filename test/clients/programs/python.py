"""Calls every method of firecrawl-py and prints what each returns, one line of JSON a call: `python.py sync|async`."""

import asyncio
import inspect
import json
import os
import re
import sys
import threading

from firecrawl import AsyncFirecrawl, Firecrawl
from firecrawl.v2.types import JsonFormat, PaginationConfig, ScrapeOptions, WebhookConfig
from firecrawl.v2.watcher_async import AsyncWatcher

mode = sys.argv[1]
given = json.loads(os.environ["CLIENT_INPUT"])
site, files, who = given["site"], given["files"], given["name"]
client = (Firecrawl if mode == "sync" else AsyncFirecrawl)(api_url=given["baseUrl"], api_key=given["apiKey"])
printing = threading.Lock()
# The client prints lines of its own.
own_output, sys.stdout = sys.stdout, sys.stderr


def report(line):
    with printing:
        print(json.dumps(line), file=own_output, flush=True)


def plain(value):
    """Models as JSON, with the names that the API has."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json", exclude_none=True)
    if isinstance(value, dict):
        return {re.sub(r"_([a-z])", lambda match: match[1].upper(), key): plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value


async def use(method, *args, **options):
    """Calls a method of the client: in a thread where it blocks."""
    if inspect.iscoroutinefunction(method):
        return await method(*args, **options)
    value = await asyncio.to_thread(method, *args, **options)
    return await value if inspect.isawaitable(value) else value


async def call(name, shows, /, *args, **options):
    """Reports what a call returned or raised, and returns it."""
    method = client
    for part in name.split("."):
        method = getattr(method, part)
    return await tell(name, shows, use(method, *args, **options))


async def tell(name, shows, work):
    try:
        value = await work
        report({"method": name, "shows": shows, "value": plain(value)})
        return value
    except Exception as error:
        response = getattr(error, "response", None)
        status = getattr(error, "status_code", None) or getattr(response, "status_code", None)
        report({"method": name, "shows": shows, "error": {"message": str(error), "status": status, "name": type(error).__name__}})
        return None


schema = {"type": "object", "properties": {"euros": {"type": "number"}}, "required": ["euros"]}
quick = {"poll_interval": 1, "timeout": 120}
slow = {"delay": 60, "limit": 4}
unknown = "00000000-0000-4000-8000-000000000000"
url = f"{site}/prices"


async def scrapes():
    await asyncio.gather(
        call("scrape", "a page as Markdown", url),
        call("scrape", "every kind of content", site, formats=["markdown", "html", "rawHtml", "links", "images"], only_main_content=False),
        call("scrape", "a page that needs a browser", f"{site}/rendered", wait_for=300),
        call("scrape", "a screenshot", url, formats=[{"type": "screenshot", "full_page": True}]),
        call("scrape", "actions", f"{site}/form", actions=[
            {"type": "click", "selector": "#name"},
            {"type": "write", "text": "Ada"},
            {"type": "click", "selector": "button"},
            {"type": "executeJavascript", "script": "document.title"},
            {"type": "scrape"},
        ]),
        call("scrape", "JSON by a schema", url, formats=[JsonFormat(type="json", prompt="the price of a night", schema=schema)]),
        call("scrape", "a summary", url, formats=["summary"]),
        call("scrape", "an answer to a query", url, formats=[{"type": "query", "prompt": "What does a night cost?"}]),
        call("scrape", "attributes (missing from its documents)", url, formats=[{"type": "attributes", "selectors": [{"selector": ".price", "attribute": "data-euros"}]}]),
        call("scrape", "what changed", url, formats=["markdown", {"type": "changeTracking", "modes": ["git-diff"]}]),
        call("scrape", "a PDF", f"{site}/report.pdf"),
        call("scrape", "no branding", url, formats=["branding"]),
        call("scrape", "a name that does not resolve", "http://nowhere.invalid/"),
        call("scrape_url", "a page as Markdown", url),
    )


async def parses():
    with open(files["page.html"], "rb") as page:
        await asyncio.gather(
            call("parse", "a PDF", files["report.pdf"]),
            call("parse", "a Word document", files["notes.docx"], options=ScrapeOptions(formats=["markdown", "html"])),
            call("parse", "an HTML file", page.read(), filename="page.html", content_type="text/html"),
        )


async def crawls():
    await asyncio.gather(
        call("crawl", "a whole site", url=site, limit=10, **quick),
        call("crawl", "a folder of a site", url=site, include_paths=["^/rooms/"], limit=10, **quick),
        call("crawl", "a site that cannot be reached", url=given["dead"], **quick),
        call("crawl", "webhooks", url=url, limit=1, webhook=WebhookConfig(url=f"{site}/hook/{who}", metadata={"who": who}), **quick),
        call("crawl_url", "a whole site", site, limit=10, **quick),
        call("crawl_params_preview", "parameters of a crawl", site, "only the rooms"),
        a_crawl(),
        waited(),
        watched("async_crawl_url", "crawl", url, limit=1),
    )


async def a_crawl():
    job = await call("start_crawl", "a job", site, **slow)
    await asyncio.gather(
        call("get_crawl_status", "a running crawl", job.id),
        call("get_crawl_status", "an unknown job", unknown),
        call("check_crawl_status", "a running crawl", job.id),
        call("get_crawl_errors", "errors of pages", job.id),
        call("check_crawl_errors", "errors of pages", job.id),
        active("active_crawls", job.id),
        *([active("get_active_crawls", job.id)] if hasattr(client, "get_active_crawls") else []),
        call("get_crawl_status_page", "a running crawl", f"{given['baseUrl']}/v2/crawl/{job.id}?skip=0"),
    )
    await call("cancel_crawl", "a cancellation", job.id)


async def waited():
    job = await use(client.start_crawl, site, limit=10)
    await call("wait_crawl", "a whole site", job.id, **quick)


async def active(name, id):
    async def find():
        answer = await use(getattr(client, name))
        return next(each for each in answer.crawls if each.id == id)

    await tell(name, "active crawls", find())


async def watched(start, kind, *args, **options):
    """Starts a job, and waits until its watcher is done."""
    job = await call(start, "a job", *args, **options)

    async def documents():
        watcher = client.watcher(job.id, kind=kind, poll_interval=1, timeout=120)
        last = None
        if isinstance(watcher, AsyncWatcher):
            async for snapshot in watcher:
                last = snapshot
        else:
            states = []
            watcher.add_listener(states.append)
            watcher.start()
            await asyncio.to_thread(watcher._thread.join)
            last = states[-1]
        return {"status": last.status, "urls": [each.metadata.source_url for each in last.data]}

    await tell("watcher", f"documents of a {kind}", documents())


async def batches():
    # Where it blocks, `timeout` is that of each page.
    patient = {"poll_interval": 1, "wait_timeout" if mode == "sync" else "timeout": 120}
    urls = [url, f"{site}/rooms/attic", url]
    await asyncio.gather(
        call("batch_scrape", "every page of a list", urls, **patient),
        call("batch_scrape_urls", "every page of a list", urls, **patient),
        a_batch(),
        watched("async_batch_scrape_urls", "batch", urls),
    )


async def a_batch():
    job = await call("start_batch_scrape", "a job", [url, f"{site}/held"], timeout=300_000)
    await asyncio.gather(
        call("get_batch_scrape_status", "a running batch", job.id, PaginationConfig(auto_paginate=False)),
        call("check_batch_scrape_status", "a running batch", job.id),
        call("get_batch_scrape_errors", "errors of pages", job.id),
        call("check_batch_scrape_errors", "errors of pages", job.id),
        call("get_batch_scrape_status_page", "a running batch", f"{given['baseUrl']}/v2/batch/scrape/{job.id}?skip=0"),
    )
    await call("cancel_batch_scrape", "a cancellation", job.id)


async def sessions():
    session = await call("browser", "a session", ttl=300, activity_ttl=120, profile={"name": who})

    async def run(shows, code, **options):
        await call("browser_execute", shows, session.id, code, timeout=120, **options)

    await run("a result of JavaScript", f"await page.goto('{url}'); await page.title()", language="node")
    await run("a result of Python", "print(await page.title())", language="python")
    await run("a result of agent-browser", "agent-browser get title")
    await run("an error of the code", "throw new Error('no such room')", language="node")

    async def find():
        listed = await use(client.list_browsers, status="active")
        return next(each for each in listed.sessions if each.id == session.id)

    await tell("list_browsers", "open sessions", find())
    await call("delete_browser", "the end of a session", session.id)
    await run("a session that has ended", "1", language="node")


async def interactions():
    document = await use(client.scrape, f"{site}/form")
    id = document.metadata.scrape_id
    code = "await page.fill('#name', 'Ada'); await page.click('button'); await page.title()"
    await call("interact", "a result of JavaScript", id, code)
    await call("scrape_execute", "the same page later", id, "await page.title()")
    await call("interact", "a prompt carried out", id, prompt="What is the title?")
    await call("stop_interaction", "the end of a session", id)
    await call("stop_interactive_browser", "the end of a session", id)
    await call("delete_scrape_browser", "the end of a session", id)
    await call("interact", "a session that has ended", id, "1")


async def others():
    await asyncio.gather(
        call("map", "the URLs of a site", site),
        call("map", "URLs that match a search", site, search="attic", limit=10),
        call("map_url", "the URLs of a site", site),
        call("search", "results of the web", "tide prices", limit=3),
        call("search", "results with their pages", "night euros", limit=1, scrape_options=ScrapeOptions(formats=["markdown"])),
        call("search", "news and images", "lighthouse", limit=1, sources=["news", "images"]),
        call("extract", "JSON by a schema", [url], prompt="the price of a night", schema=schema, **quick),
        agents(),
        an_extraction(),
        call("get_concurrency", "jobs at the same time"),
        call("get_credit_usage", "credits"),
        call("get_token_usage", "tokens"),
        call("get_queue_status", "the queue"),
        call("v2.get_credit_usage_historical", "credits by month"),
        call("v2.get_token_usage_historical", "tokens by month", True),
        monitors(),
        call("get_monitor", "an unknown monitor", unknown),
        call("update_monitor", "an unknown monitor", unknown, name="b"),
        call("delete_monitor", "an unknown monitor", unknown),
        call("run_monitor", "an unknown monitor", unknown),
        call("list_monitor_checks", "an unknown monitor", unknown),
        call("get_monitor_check", "an unknown monitor", unknown, unknown),
        call("developer_search", "no index of its own", "tide"),
        call("search_papers", "no index of its own", "tide"),
        call("inspect_paper", "no index of its own", "arxiv:1706.03762"),
        call("related_papers", "no index of its own", "arxiv:1706.03762", "tide"),
        call("read_paper", "no index of its own", "arxiv:1706.03762", "tide"),
        call("search_github", "no index of its own", "tide"),
        call("gov_search", "no index of its own", "tide"),
        call("find_tools", "no tools of providers", level="providers"),
        call("scrape_alexandria", "no tools of providers", {"provider": "firecrawl", "capability": "find-tools"}),
        call("get_parse_formats", "no list of file formats"),
    )


async def monitors():
    """One monitor, from its creation to its deletion."""
    monitor = await call("create_monitor", "a monitor", "a", {"text": "daily"}, [{"type": "scrape", "urls": [url]}])
    await call("list_monitors", "monitors", limit=10)
    await call("get_monitor", "a monitor", monitor.id)
    await call("update_monitor", "a monitor", monitor.id, name="b", schedule={"cron": "0 9 * * 1"})
    check = await call("run_monitor", "a check", monitor.id)
    await call("list_monitor_checks", "checks of a monitor", monitor.id, limit=10)

    async def finished():
        while True:
            detail = await use(client.get_monitor_check, monitor.id, check.id, limit=10)
            if detail.finished_at is not None:
                return detail
            await asyncio.sleep(0.2)

    await tell("get_monitor_check", "a check with its pages", finished())
    await call("delete_monitor", "a deletion", monitor.id)


async def agents():
    task, waiting = "the price of a night", "wait for a cancellation"

    async def a_job():
        job = await call("start_agent", "a job", [url], prompt=waiting, schema=schema)
        await call("get_agent_status", "the state of a job", job.id)
        await call("get_agent_trace", "the steps of a job", job.id)
        await call("get_agent_snapshot", "an unknown snapshot", job.id, "none")
        # Where it doesn't block, it reads a field of the answer that its HTTP library doesn't have, whatever the server answers.
        await call("list_agents", "jobs of agents" if mode == "sync" else "a failure of its own")
        await call("get_agent_thread", "no threads" if mode == "sync" else "a failure of its own", unknown)
        await call("cancel_agent", "a cancellation", job.id)

    await asyncio.gather(call("agent", "JSON by a schema", [url], prompt=task, schema=schema, **quick), a_job())


async def an_extraction():
    job = await call("start_extract", "a job", [url], schema=schema)
    await call("get_extract_status", "the state of a job", job.id)


async def first_version():
    await asyncio.gather(
        call("v1.scrape_url", "no version 1", url),
        call("v1.crawl_url", "no version 1", url),
        call("v1.async_crawl_url", "no version 1", url),
        call("v1.check_crawl_status", "no version 1", unknown),
        call("v1.batch_scrape_urls", "no version 1", [url]),
        call("v1.async_batch_scrape_urls", "no version 1", [url]),
        call("v1.map_url", "no version 1", url),
        call("v1.extract", "no version 1", [url], prompt="price"),
        call("v1.deep_research", "no version 1", "tide"),
        call("v1.generate_llms_text", "no version 1", url),
    )


def names_of(owner, prefix=""):
    return [prefix + name for name in dir(owner) if not name.startswith("_")]


async def main():
    report({"methods": names_of(client) + names_of(client.v1, "v1.")})
    await asyncio.gather(scrapes(), parses(), crawls(), batches(), sessions(), interactions(), others(), first_version())


if mode == "sync":
    from concurrent.futures import ThreadPoolExecutor

    async def in_many_threads():
        # As many calls at the same time as the other clients make.
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(64))
        await main()

    asyncio.run(in_many_threads())
else:
    asyncio.run(main())
