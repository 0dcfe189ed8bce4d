"""Playwright's connection to the session's browser, bound to `page`, `context` and `browser`."""

import asyncio
import inspect

CLOSED = "The session's browser has closed"
_NEW_TAB_TIMEOUT = 5
"""Seconds for a tab that has just opened to reach Playwright."""


class Connection:
    """Keeps the variables bound to open objects."""

    def __init__(self, chromium, cdp_url, downloads, variables, on_closed):
        self._chromium = chromium
        self._cdp_url = cdp_url
        self._downloads = downloads
        self._variables = variables
        self._on_closed = on_closed
        self._connecting = None
        self._browser = None
        self._context = None
        self._page = None
        self._crashed = set()
        self._chosen = None

    async def connect(self):
        """Connects, or waits for a pending connection. Raises an error if the browser has closed."""
        if self._connecting is None:
            self._connecting = asyncio.ensure_future(self._open())
            self._connecting.add_done_callback(self._connected)
        await asyncio.shield(self._connecting)

    def _connected(self, done):
        self._connecting = None
        done.exception()

    async def refresh(self, tab):
        """Rebinds variables whose objects were closed by a run, and `page` to a tab, by its target ID, unless that is None."""
        if self._connecting or not self._browser or not self._browser.is_connected():
            await self.connect()
        page = self._variables.get("page")
        if type(page) is type(self._page):
            if page in self._crashed:
                await page.close()
            if page.is_closed():
                self._page = self._variables["page"] = await self._choose_page(self._context)
        if tab is None or tab == self._chosen:
            return
        try:
            page = await asyncio.wait_for(self._find(tab), _NEW_TAB_TIMEOUT)
        except Exception:
            return
        self._bind("page", page, self._page)
        self._page, self._chosen = page, tab

    async def _find(self, tab):
        """Returns a tab when it has reached Playwright."""
        while True:
            pages = self._context.pages
            targets = await asyncio.gather(*map(_target_of, pages))
            if tab in targets:
                return pages[targets.index(tab)]
            if len(self._context.pages) == len(pages):
                await self._context.wait_for_event("page", timeout=0)

    async def _open(self):
        options = {}
        if self._downloads and "artifacts_dir" in inspect.signature(self._chromium.connect_over_cdp).parameters:
            options["artifacts_dir"] = self._downloads
        try:
            browser = await self._chromium.connect_over_cdp(self._cdp_url, **options)
        except Exception as error:
            raise RuntimeError(CLOSED) from error
        context = browser.contexts[0] if browser.contexts else await browser.new_context()
        context.on("page", self._watch)
        for each in context.pages:
            self._watch(each)
        page = await self._choose_page(context)
        browser.on("disconnected", lambda *_: asyncio.ensure_future(self._reconnect()))
        self._bind("browser", browser, self._browser)
        self._bind("context", context, self._context)
        self._bind("page", page, self._page)
        self._browser, self._context, self._page = browser, context, page

    async def _choose_page(self, context):
        """Returns the newest tab that hasn't crashed, else a new one."""
        open_pages = [page for page in context.pages if page not in self._crashed]
        return open_pages[-1] if open_pages else await context.new_page()

    def _watch(self, page):
        page.on("crash", lambda *_: self._crashed.add(page))

    async def _reconnect(self):
        """Reconnects after a snippet closed the connection. If that fails, the browser has closed."""
        try:
            await self.connect()
        except Exception:
            self._on_closed()

    def _bind(self, name, value, old):
        """Sets a variable, unless a snippet uses it for something else."""
        now = self._variables.get(name)
        if now is None or now is old or type(now) is type(value):
            self._variables[name] = value


async def _target_of(page):
    """Returns the target ID of a tab; None if it doesn't say."""
    try:
        session = await page.context.new_cdp_session(page)
        info = await session.send("Target.getTargetInfo")
        await session.detach()
        return info["targetInfo"]["targetId"]
    except Exception:
        return None
