import type { Generated } from 'kysely';

/** The tables of jobs and of what they find. */
export interface JobTables {
  crawl_job: {
    num: Generated<number>;
    id: string;
    team: string;
    key_label: string;
    kind: 'crawl' | 'batch_scrape';
    /** Start URL of a crawl, first URL of a batch. */
    url: string;
    /** JSON. */
    options: string;
    scrape_options: string;
    webhook: string | null;
    idempotency_key: string | null;
    status: 'scraping' | 'completed' | 'failed' | 'cancelled';
    error: string | null;
    warning: string | null;
    created_at: number;
    ended_at: number | null;
    expires_at: number;
    /** Whether the start page and the sitemaps are in the frontier. */
    seeded: number;
    /** URL that the start page redirected to, if any. */
    found_at: string | null;
    /** Pages in the frontier, fetched or not. */
    added: number;
    /** Documents stored. */
    completed: number;
    /** How many of them were rendered in a browser. */
    rendered: Generated<number>;
    /** How many of them have a warning about what they lack. */
    warned: Generated<number>;
    failed: number;
    /** Disallowed by robots.txt. */
    blocked: number;
    /** Fetched, but the same page as another one. */
    repeated: number;
    /** Without a document: a start page that the crawl's patterns exclude, or a page that another one redirected to. */
    passed_over: number;
    credits: number;
    /** Pages that were found only to be read for their links, and how many of them were read: they count as nothing else. */
    link_pages: Generated<number>;
    link_reads: Generated<number>;
    /** Number of the crawl that it repeats, and how its pages differ from that one's. */
    since: number | null;
    new_pages: Generated<number>;
    same_pages: Generated<number>;
    changed_pages: Generated<number>;
    removed_pages: Generated<number>;
    /** Number of its runs so far. A run stores nothing once the next one has begun. */
    runs: Generated<number>;
    /** The node that runs it; null while it waits, and if the service is no node. */
    runner: string | null;
  };
  crawl_page: {
    id: Generated<number>;
    job: number;
    origin: string;
    url: string;
    identity: string;
    depth: number;
    /** Whether it was added because an earlier crawl found it, and not this one. */
    hidden: Generated<number>;
    /** Whether it is read only for its links. */
    for_links: Generated<number>;
    state: number;
    code: string | null;
    error: string | null;
    ended_at: number | null;
    place: number | null;
    seq: number | null;
    folder: string | null;
    name: string | null;
    title: string | null;
    status_code: number | null;
    /** Why it was fetched or rendered. */
    read_because: string | null;
    /** What its document lacks. */
    warning: string | null;
    /** How it differs from the crawl that its job repeats. */
    change: string | null;
  };
  crawl_document: {
    job: number;
    seq: number;
    scrape_id: string;
    /** JSON; empty if it is in `packed`. */
    document: string;
    replay: string;
    /** The document's JSON, compressed with zstd. */
    packed: Uint8Array | null;
    /** What a crawl that repeats this one compares with: JSON, compressed with zstd. */
    source: Uint8Array | null;
  };
  /** Pages that a crawl found and left out, up to a number for each reason. */
  crawl_left_out: {
    job: number;
    reason: string;
    identity: string;
    url: string;
  };
  scrape_job: {
    id: string;
    team: string;
    key_label: string;
    url: string;
    /** JSON; empty if it is in `packed`. */
    document: string;
    replay: string;
    created_at: number;
    /** The JSON of a long document, compressed with zstd. */
    packed: Uint8Array | null;
  };
  /** Pages that are checked on a schedule. */
  monitor: {
    id: string;
    team: string;
    key_label: string;
    name: string;
    status: 'active' | 'paused';
    cron: string;
    timezone: string;
    /** JSON of its targets. */
    targets: string;
    /** JSON of its webhook. */
    webhook: string | null;
    goal: string | null;
    /** Whether a language model judges changes by the goal. */
    judge: Generated<number>;
    retention_days: number;
    /** When it is due; null while it is paused. */
    next_run_at: number | null;
    last_run_at: number | null;
    /** The check in progress. */
    current_check: string | null;
    /** JSON of how many pages of its last check have each status. */
    last_summary: string | null;
    /** Checks that failed since the last that didn't. */
    failures: Generated<number>;
    created_at: number;
    updated_at: number;
  };
  monitor_check: {
    /** Order of creation. */
    num: Generated<number>;
    id: string;
    monitor: string;
    team: string;
    status: 'queued' | 'completed' | 'partial' | 'failed' | 'skipped_no_credits';
    /** `scheduled` or `manual`. */
    cause: 'scheduled' | 'manual';
    scheduled_for: number | null;
    started_at: number | null;
    finished_at: number | null;
    credits: Generated<number>;
    /** JSON; null until it has finished. */
    summary: string | null;
    error: string | null;
    created_at: number;
    expires_at: number;
  };
  /** What a check found on each page. */
  monitor_page: {
    check_id: string;
    /** Position among the pages of the monitor. */
    seq: number;
    status: 'same' | 'new' | 'changed' | 'removed' | 'error';
    /** JSON of the page, compressed. */
    packed: Uint8Array;
  };
  /** The last version of each page that the changeTracking format compares with. */
  page_version: {
    team: string;
    /** Empty without a tag. */
    tag: string;
    url: string;
    scraped_at: number;
    /** Digest of the Markdown, which decides whether it changed. */
    digest: string;
    /** The Markdown, compressed with zstd; null if it is too long. */
    packed: Uint8Array | null;
    /** Size of the row. */
    bytes: number;
  };
  agent_job: {
    num: Generated<number>;
    id: string;
    team: string;
    key_label: string;
    kind: 'agent' | 'extract';
    /** JSON. */
    request: string;
    status: 'processing' | 'completed' | 'failed' | 'cancelled';
    error: string | null;
    warning: string | null;
    /** JSON of the data and its sources. */
    answer: string | null;
    model: string | null;
    credits: number;
    /** Milliseconds for which it has worked. */
    active_ms: number;
    created_at: number;
    ended_at: number | null;
    expires_at: number;
    /** As of a crawl. */
    runs: Generated<number>;
    runner: string | null;
  };
  /** What a job did, in order: responses of the model, and what came of them. */
  agent_step: {
    job: number;
    seq: number;
    /** JSON, without `deed`. */
    step: string;
    credits: number;
    at: number;
    /** JSON of what it did, if a person who watches the job is told. */
    deed: string | null;
  };
  webhook_delivery: {
    /** The order of first attempts within a job. */
    num: Generated<number>;
    /** The `webhookId`, the same in every attempt. */
    id: string;
    team: string;
    job_id: string;
    type: string;
    url: string;
    headers: string;
    body: string;
    /** Attempts that failed. */
    attempts: number;
    due_at: number | null;
    created_at: number;
  };
}
