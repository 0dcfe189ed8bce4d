import { bytes, integer, rowNumber, serial, sortedTable, table, tableWith, text } from './columns.ts';

/** The tables of jobs and of what they find. */
export const jobTables = {
  /** Runs of jobs that have no end yet: of one that ended its process, how often in a row. */
  job_begun: sortedTable('kind, id', {
    kind: text<'crawl' | 'agent' | 'monitor'>(),
    id: text(),
    times: integer(),
    at: integer(),
  }),
  crawl_job: table({
    num: rowNumber(),
    id: text().unique(),
    team: text(),
    key_label: text(),
    kind: text<'crawl' | 'batch_scrape'>(),
    /** Start URL of a crawl, first URL of a batch. */
    url: text(),
    /** JSON. */
    options: text(),
    scrape_options: text(),
    webhook: text().orNull(),
    idempotency_key: text().orNull(),
    status: text<'scraping' | 'completed' | 'failed' | 'cancelled'>(),
    error: text().orNull(),
    warning: text().orNull(),
    created_at: integer(),
    ended_at: integer().orNull(),
    expires_at: integer(),
    /** Whether the start page and the sitemaps are in the frontier. */
    seeded: integer(),
    /** URL that the start page redirected to, if any. */
    found_at: text().orNull(),
    /** Pages in the frontier, fetched or not. */
    added: integer(),
    /** Documents stored. */
    completed: integer(),
    /** How many of them were rendered in a browser. */
    rendered: integer().byDefault(0),
    /** How many of them have a warning about what they lack. */
    warned: integer().byDefault(0),
    failed: integer(),
    /** Disallowed by robots.txt. */
    blocked: integer(),
    /** Fetched, but the same page as another one. */
    repeated: integer(),
    /** Without a document: a start page that the crawl's patterns exclude, or a page that another one redirected to. */
    passed_over: integer(),
    credits: integer(),
    /** Pages that were found only to be read for their links, and how many of them were read: they count as nothing else. */
    link_pages: integer().byDefault(0),
    link_reads: integer().byDefault(0),
    /** Number of the crawl that it repeats, and how its pages differ from that one's. */
    since: integer().orNull(),
    new_pages: integer().byDefault(0),
    same_pages: integer().byDefault(0),
    changed_pages: integer().byDefault(0),
    removed_pages: integer().byDefault(0),
    /** Number of its runs so far. A run stores nothing once the next one has begun. */
    runs: integer().byDefault(0),
    /** The node that runs it; null while it waits, and if the service is no node. */
    runner: text().orNull(),
  }),
  crawl_page: tableWith('UNIQUE (job, identity)', {
    id: rowNumber(),
    job: integer(),
    origin: text(),
    url: text(),
    identity: text(),
    depth: integer(),
    /** The id of the page on which it was found first, or where else; none in batches and in crawls of version 0.1.0. */
    found_on: integer().orNull(),
    /** Whether it was added because an earlier crawl found it, and not this one. */
    hidden: integer().byDefault(0),
    /** Whether it is read only for its links. */
    for_links: integer().byDefault(0),
    state: integer(),
    code: text().orNull(),
    error: text().orNull(),
    ended_at: integer().orNull(),
    place: integer().orNull(),
    seq: integer().orNull(),
    folder: text().bytewise().orNull(),
    name: text().bytewise().orNull(),
    title: text().orNull(),
    status_code: integer().orNull(),
    /** Why it was fetched or rendered. */
    read_because: text().orNull(),
    /** What its document lacks. */
    warning: text().orNull(),
    /** How it differs from the crawl that its job repeats. */
    change: text().orNull(),
    /** The digest of what it says, if it is stored or a copy, and of a copy the URL of the page that says the same. */
    digest: text().orNull(),
    copy_of: text().orNull(),
  }),
  crawl_document: tableWith('PRIMARY KEY (job, seq)', {
    job: integer(),
    seq: integer(),
    scrape_id: text().unique(),
    /** JSON; empty if it is in `packed`. */
    document: text(),
    replay: text(),
    /** The document's JSON, compressed with zstd. */
    packed: bytes().orNull(),
    /** What a crawl that repeats this one compares with: JSON, compressed with zstd. */
    source: bytes().orNull(),
  }),
  /** Pages that a crawl found and left out, up to a number for each reason. */
  crawl_left_out: sortedTable('job, reason, identity', {
    job: integer(),
    reason: text(),
    identity: text(),
    url: text(),
  }),
  /** Forms whose choices may be pages that nothing else leads to, by the page that each is on. */
  crawl_form: sortedTable('job, page', { job: integer(), page: text(), form: text() }),
  scrape_job: table({
    id: text().primary(),
    team: text(),
    key_label: text(),
    url: text(),
    /** JSON; empty if it is in `packed`. */
    document: text(),
    replay: text(),
    created_at: integer(),
    /** The JSON of a long document, compressed with zstd. */
    packed: bytes().orNull(),
  }),
  /** Pages that are checked on a schedule. */
  monitor: table({
    id: text().primary(),
    team: text(),
    key_label: text(),
    name: text(),
    status: text<'active' | 'paused'>(),
    cron: text(),
    timezone: text(),
    /** JSON of its targets. */
    targets: text(),
    /** JSON of its webhook. */
    webhook: text().orNull(),
    goal: text().orNull(),
    /** Whether a language model judges changes by the goal. */
    judge: integer().byDefault(1),
    retention_days: integer(),
    /** When it is due; null while it is paused. */
    next_run_at: integer().orNull(),
    last_run_at: integer().orNull(),
    /** The check in progress. */
    current_check: text().orNull(),
    /** JSON of how many pages of its last check have each status. */
    last_summary: text().orNull(),
    /** Checks that failed since the last that didn't. */
    failures: integer().byDefault(0),
    created_at: integer(),
    updated_at: integer(),
  }),
  monitor_check: table({
    /** Order of creation. */
    num: serial(),
    id: text().unique(),
    monitor: text(),
    team: text(),
    status: text<'queued' | 'completed' | 'partial' | 'failed' | 'skipped_no_credits'>(),
    /** `scheduled` or `manual`. */
    cause: text<'scheduled' | 'manual'>(),
    scheduled_for: integer().orNull(),
    started_at: integer().orNull(),
    finished_at: integer().orNull(),
    credits: integer().byDefault(0),
    /** JSON; null until it has finished. */
    summary: text().orNull(),
    error: text().orNull(),
    created_at: integer(),
    expires_at: integer(),
  }),
  /** What a check found on each page. */
  monitor_page: tableWith('PRIMARY KEY (check_id, seq)', {
    check_id: text(),
    /** Position among the pages of the monitor. */
    seq: integer(),
    status: text<'same' | 'new' | 'changed' | 'removed' | 'error'>(),
    /** JSON of the page, compressed. */
    packed: bytes(),
  }),
  /** The last version of each page that the changeTracking format compares with. */
  page_version: tableWith('PRIMARY KEY (team, tag, url)', {
    team: text(),
    /** Empty without a tag. */
    tag: text(),
    url: text().bytewise(),
    scraped_at: integer(),
    /** Digest of the Markdown, which decides whether it changed. */
    digest: text(),
    /** The Markdown, compressed with zstd; null if it is too long. */
    packed: bytes().orNull(),
    /** Size of the row. */
    bytes: integer(),
  }),
  agent_job: table({
    num: serial(),
    id: text().unique(),
    team: text(),
    key_label: text(),
    kind: text<'agent' | 'extract'>(),
    /** JSON. */
    request: text(),
    status: text<'processing' | 'completed' | 'failed' | 'cancelled'>(),
    error: text().orNull(),
    warning: text().orNull(),
    /** JSON of the data and its sources. */
    answer: text().orNull(),
    model: text().orNull(),
    credits: integer(),
    /** Milliseconds for which it has worked. */
    active_ms: integer(),
    created_at: integer(),
    ended_at: integer().orNull(),
    expires_at: integer(),
    /** As of a crawl. */
    runs: integer().byDefault(0),
    runner: text().orNull(),
  }),
  /** What a job did, in order: responses of the model, and what came of them. */
  agent_step: sortedTable('job, seq', {
    job: integer(),
    seq: integer(),
    /** JSON, without `deed`. */
    step: text(),
    credits: integer(),
    at: integer(),
    /** JSON of what it did, if a person who watches the job is told. */
    deed: text().orNull(),
  }),
  webhook_delivery: table({
    /** The order of first attempts within a job. */
    num: serial(),
    /** The `webhookId`, the same in every attempt. */
    id: text().unique(),
    team: text(),
    job_id: text(),
    type: text(),
    url: text(),
    headers: text(),
    body: text(),
    /** Attempts that failed. */
    attempts: integer(),
    due_at: integer().orNull(),
    created_at: integer(),
  }),
};
