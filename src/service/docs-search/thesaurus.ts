import { formsOf, stem, wordsOf } from './terms.ts';

/**
 * Words that people use for one another when they ask about browsers, crawls and APIs. Every word or phrase of a line
 * finds the others; in a line with `=>` those on the left find those on the right, and not the other way round.
 */
const lines = `
delete, destroy, stop, end, kill, close, terminate, shut down, tear down, throw away, thrown away, get rid of, dispose, quit, cancel, abort
delete, remove
create, start, open, begin, launch, new, spin up, set up, make, get
start => started
run, execute, execution, evaluate, eval
code, snippet, script, program, javascript
programming language, language => language
js, javascript, nodejs, node.js => node, javascript
ts => typescript
py => python
shell, sh, terminal command => bash, shell
key, token, api key, apikey, api token, access token, credential, credentials, secret key => key, api key, bearer
bearer => bearer, authorization
authenticate, authentication, authorize, authorization, auth, login, log in, sign in => authentication, authorization, key, bearer, authenticate
unauthorized, unauthenticated => 401, unauthorized, key
how long => timeout, ttl, lifetime, second, minute, hour, duration, long, length, last
how long may, how long can, how long is, max length, maximum length => character, limit, length, long
how big, how large => byte, mib, limit, character, size, large
how many => limit, maximum, number, count, many, at most
how often => rate, limit, second
how old => age, old, window, hour, last
how far back => window, hour, last, old, age
maximum, max, most, at most, upper bound, upper limit, largest, biggest, longest, highest, cap, ceiling, limit, up to => limit, maximum, at most
minimum, min, least, at least, lower bound, lower limit, smallest, shortest, lowest => limit, minimum, at least
range, allowed values, valid values, bounds, allowed => limit, one of, range
default, by default, if i don't, if i do not, if i say nothing, leave out, left out, leave away, when omitted, omit, omitted, unspecified, not given, not set, assumed, without specifying => default
long, length, size => character, length, limit
timeout, time limit, time out, deadline, takes too long, take too long, too slow, time ran out => timeout
idle timeout, inactivity timeout, idle time, inactivity, inactive, idle, left alone, alone, unused, nothing happens for => activityTtl, inactivity, activity, used
idle => activityTtl, inactivity
keep open, stay open, keep alive, keep a session open => ttl, lifetime, live, open
lifetime, lifespan, time to live, stay alive, alive, live, max age of a session, die, vanish, disappear, expire, expires, run out => ttl, lifetime, expir, expiresAt, end, live
alive => ttl, lifetime, end
vanish, disappear => end, destroy, expir
expire, expiry => expir, expiresAt
session, browser session => session
browser, chrome, chromium => browser, chrome, chromium
own chrome binary, my own chrome, other browser, different browser, chrome binary, browser binary, browser executable, chrome executable, own chrome => chromePath, chrome, path
devtools, cdp, chrome devtools protocol, debugger url, debugging url => cdp, cdpUrl, devtools
websocket, ws, web socket => websocket
puppeteer, playwright, selenium => playwright, puppeteer, cdpUrl
connect, attach, hook up => connect, cdpUrl
watch, look at, observe, view, see live, follow along, look => live view, liveViewUrl, watch, liveview
live view, live preview, preview of the browser, stream, streaming, screencast => live view, liveViewUrl, streamWebView
read only, readonly, without being able to click, view only, not click => read-only, liveViewUrl
click, type, scroll, take control, control, steer, human, by hand, manually => interactiveLiveViewUrl, click, control
persist, persistent, keep, remember, stored, retain, survive, preserve, saved, save => profile, persistent, save, keep, stor, surviv, stay
stay logged in, logged in, remain logged in, keep me logged in, login state, log in once => profile, cookie
cookies, cookie, local storage, localstorage => cookie, localstorage, profile
overwrite, overwriting, without saving, discard changes, not save, without writing => saveChanges
saver, writer, writing, write => saver, writer, writing, one, profile
at the same time, simultaneously, concurrently, concurrent, in parallel, parallel, at once, same time => concurrent, at a time, time, several
two sessions, multiple sessions, several sessions, many sessions => session, concurrent, several
shared, share, reuse, same => same, share, reuse
colleague, coworker, teammate, somebody else, someone else => other
different team, other team => team
failed, fail, failure, broken, went wrong, goes wrong, crash, error, exception, problem => error, fail
succeed, success, successful, ok, worked => success
output, print, console.log, printed, logs of my code, console => stdout, output
stdout, standard output => stdout, standard output
stderr, error output, standard error => stderr, standard error
return value, result, value of the last, last expression, returned => result, last expression, value
exit code, exitcode, exit status, return code => exitcode, exit code
killed, terminated, was killed => killed
truncated, cut off, cut, shortened => truncated, cut
variables, state, globals => variable, state
price, pricing, cost, costs, charge, charged, billed, bill, billing, expensive, pay for => credit, creditsBilled, cost, charge
credit, credits => credit
consumption, usage, spent, spending, consumed, used up, use of tokens => usage, token
exchange rate, conversion, convert, worth, equal, equals, per credit => worth, token, credit
per month, monthly, month by month, each month, by month => month, historical
per key, per api key, by key, by api key, for each api key, each key, separately for each => byApiKey
remaining, left over, balance, how much is left => remaining, left
rate limit, rate limiting, throttle, throttled, too many requests, rate limited => 429, rate
out of credits, run out of credits, no credits, not enough credits, insufficient credits => 402, credit, insufficient
not found, does not exist, unknown id, missing => 404, not found
forbidden, not allowed, no permission, permission denied => 403, forbidden
gone, already destroyed, has been destroyed => 410, destroyed
conflict => 409
bad request, invalid request, validation error => 400
status code, http status, http code, response code => status, error
remain signed in, stay signed in, signed in, sign in once, logged on, remember my login, keep the login, keep me signed in => profile, cookie
real time, in real time => watch, liveViewUrl, live view
lasted, has lasted, total duration, ran for, was open => sessionDurationMs, duration
exception, exceptions, throw, thrown, throws, traceback, stack trace => error, stderr
from scratch, from zero, clean slate => fresh, new, same
exhausted, all in use, none left, pool, used up => maximum, concurrent, 429
convert, transform, turn, derive => make, generate, turn
description, describe what i want, wish, wishes => prompt, sentence
overview, summary, show all => list, lists
finished, unfinished, not finished, pending, done, still running => active, running, over, completed
obey, respect, honour, honor, comply => follow, robots.txt
switch off, turn off, disable => false, ignore, off
pretend, appear as, look as if => location, country, mobile
germany, france, spain, japan, india, china, usa, america, england, britain, country => country, location
last week, yesterday, today, last month, past days, days ago => hour, window, last, month
key value pairs, key-value pairs, key value => metadata
redirect, redirects, redirection, redirected => redirect
interfaces, all interfaces, network interface => listen, 127.0.0.1
parallel sessions, sessions in parallel, sessions at once, simultaneous sessions => max-sessions, concurrent, session
wrong, mistake => error, fail
screenshot of the page, take a picture => screenshot
signature check, check the signature => verify, signature
http method, http verb, verb => post, get, delete
path, route, endpoint path, endpoint, url of the endpoint => post, get, delete, endpoint, call
binary, executable => path, executable, chrome, chromePath
headless, window, visible browser => headed, window
prefix => start, begin, format
link, url, address => url
typing, type, clicking => interactiveLiveViewUrl, type, click
send, sent, emit, emitted, fire, fired, trigger, triggered, deliver => emitted, sent, send, event
list of fields, entry, entries, look like => field, item
french, german, spanish, english => language, location
query string, query strings => ignoreQueryParameters, query
html tags, html elements, tag => includeTags, excludeTags, selector
locally, local => embedded, local
switch back, go back, back to => go back, back
stored key, saved key, remove the key, delete the key => sign out, key
breakdown, broken down, split, separate => break, split, byApiKey
duration, how long it took, elapsed, execution time, took => durationMs, duration, millisecond
debugging => inactivity, idle
hour, hours, minutes, seconds => second, hour, ttl, timeout
error message, error body, error response, shape of an error, error format => error, success
interact, interaction, continue, go on, carry on, resume, pick up => interact, go on
task, natural language, plain english, sentence, instruction, words, prompt, in english => prompt, sentence
agent, ai, ai agent, llm agent => agent
final answer, answer of the agent, agent output => output, agent, final
job id, scrape id, id of the scrape, job identifier => jobId, scrapeId, job, id
id, identifier => id
scrape, extract a page, fetch a page, grab, get the content, read a page, page content, content of a page => scrape, page
scraper => scrape
crawl, spider, walk a site, crawler => crawl
in progress, running, ongoing, currently, right now, active, at the moment => active, running
crawl parameters, crawl settings, crawl options, crawl setting, crawl config => crawl, parameter, option, params-preview
generate, derive, turn into => generate, make, preview
include, only these paths, whitelist, restrict to, only some paths, limit to paths => includePaths
exclude, skip paths, blacklist, ignore paths, leave out paths => excludePaths
depth, how deep, deep => maxDepth, maxDiscoveryDepth, depth
whole domain, entire domain, whole site, entire site, entire website, whole website => crawlEntireDomain, whole, site
external links, other websites, other sites, other domains, outside links => allowExternalLinks, external
subdomain, sub domain => allowSubdomains, subdomain
robots, robots.txt => robots.txt, ignoreRobotsTxt, robotsUserAgent
user agent => robotsUserAgent, user agent
query string, query parameters, url parameters => ignoreQueryParameters, query
duplicate, duplicates, similar urls, same page twice, dedupe, deduplicate => deduplicateSimilarURLs, duplicate, same
pause between requests, politeness, wait between requests, between requests, throttle requests => delay
number of pages, page limit, pages at most, max pages, how many pages => limit, page
url list, list of urls, all urls, all links, all pages of a site, site map => map, url
many urls, several urls, list of pages, multiple urls, many pages, bulk => batch, batch_scrape, many
sitemap => sitemap
ads, advertisement, advertising, advert, ad blocker, adblock => blockAds, ad
phone, mobile, smartphone, iphone view, mobile device => mobile, phone
nav, navigation, nav bar, navbar, menu, footer, header and footer, boilerplate, main content, only the article => onlyMainContent, navigation, main
self signed, self-signed, certificate, tls, ssl, https error, invalid certificate => skipTlsVerification, certificate, tls
base64, inline images, data uri, data url => removeBase64Images, base64
cache, cached, stored page, fresh, freshness => maxAge, cache, storeInCache, store
user agent header, custom headers, http headers, request headers => headers, header
country, locale, geolocation, region of the request => location, country
pdf, document file => parsers, pdf
proxy => proxy
wait before, wait for, delay before reading, wait until loaded, wait => waitFor, wait
css selector, selector, tags, elements => includeTags, excludeTags, selector
output formats, format, formats, which formats => formats, format
picture, image of the page, screenshot => screenshot
activity, activity log, history, recent requests, request log, recent jobs, audit log, log of calls, past requests => activity
page size, per page, entries per page, results per page, items per page => limit, page, result
next page, paginate, pagination, paging, more results, next results, load more => cursor, has_more, next
filter, only show, show only, restrict => filter, only
kinds, kind, types => kind, type, endpoint
retrieve, retrieval, retrieval endpoint, fetch the record, get the record, record, fetch the result, details => retrieval, get
webhook, webhooks, callback, callbacks, notification, hook, event delivery => webhook, delivery
verify, validate, really comes from, genuine, authentic, check the origin of, prove, trust, spoof, fake, forge => verify, signature, hmac, check
sign, signed, signature, signing => signature, sign, hmac, x-service-signature
hash, algorithm, hmac, digest => hmac, sha256, sha-256
signature header, header carries the signature => x-service-signature
acknowledge, acknowledgement, ack, confirm, accepted, counts as received, counts as delivered, must my endpoint return, must i return, should i return => acknowledge, 2xx
same delivery twice, delivered twice, duplicate delivery, duplicate deliveries, received twice, got the same => webhookId, twice, again
my own values, own data, custom data, custom fields, attach => metadata, custom, own
event, events, event kinds, event types => event
empty, nothing in, anything in => empty
docs search, docs-search, docs answer, documentation search, ask the docs, documentation, docs, reference texts => docs-search, reference text, answer, question
sources, citations, references, source, cited => evidence, source
language model, llm, openai, ollama, gpt, model => language model, model, webdata_llm_model
own docs, own markdown, markdown folder, folder of markdown, my own docs, my docs, own documentation, index a folder => --docs, docs, folder, source
vs code, vscode, visual studio code, editor => editor, code
keyboard shortcut, shortcut, hotkey, key binding, keybinding => key, shortcut
part of a file, selection, selected lines, few lines => selection, cell
setting, settings, configuration, configure, config, preference, option, set, change => setting, option, webdata
command palette, command => command
hosted server, remote server, other server, point at, my own server, cloud server, different server => connect to server, remote, server
server address, server url, base url, address, host => base url, baseUrl, address, server
local service, embedded service, local server, built in service, embedded server => embedded, service
data folder, data directory, data dir, where is data, store its data, keep its data => data-dir, dataDirectory, data dir
command line, cli, by hand, terminal, shell command => command line, hand, start, node
port => port
log, logs, service log => log
without authentication, no authentication, disable authentication, no auth, without a key, anonymous => --no-auth, no-auth
other machine, another machine, another computer, from outside, lan, network, other computers => machine, 127.0.0.1, loopback, ssh
sandbox, sandboxed, isolated, isolation, secure, safe => sandbox
normal browser, own browser, my profile, personal browser, everyday browser => own, profile
reset, fresh, clear state => reset, fresh
hide, disable, turn off, switch off, deactivate, suppress => false, off
turn on, enable, activate, switch on => true, on
feature, features, capabilities, what can it do => feature, family, does
version, versioning, versioned => version, v2
retry, retries, send again, resend, repeat, retried => again, retry, repeat, twice
emoji, emojis, unicode, umlaut => emoji, code point, character
body size, request size, payload size, request body => body, mib
connection refused, econnrefused, nothing is listening => econnrefused, listen
keyring, keychain, secret storage => keyring, secret
store, stored, saved where, where is my => kept, stor, keep
restricted mode, untrusted, workspace trust => restricted mode, trust
install, installation => install
unit, units, measured in, in seconds or milliseconds => second, millisecond, unit
human => interactiveLiveViewUrl, click
ai => agent
telemetry, label => label, telemetry
replay context => replay context
rerun => rerun
document, page document => document
contain, contains, consist, fields, field, property, properties, attributes, member => field
response, answer, reply, returns, return, returned => answer, response
parameter, argument, param => field, parameter, option
`;

/** Words that say nothing about what is asked. */
const stopWords = stems(
  `a an the this that these those some any of in on at to from by for with within into onto about over under between and or but nor so if then else
  when where why what which who whom whose how is are was were be been being am do does did doing done don't doesn't didn't isn't aren't can can't
  cannot could should shall will would may might must i me my mine myself we us our you your he she it its it's they them their there here
  please want need like know tell say show explain help figure understand mean means try tries trying possible possibly way ways thing things something
  anything really actually just also too very much even still yet again now get gets getting give gives given have has had having let lets put puts go
  goes going come comes use uses used using work works working happen happens hello hi thanks thank ok okay as not no yes up out off per via
  s t d m re ve ll im i'm i'd i've what's where's who's how's there's that's let's whats etc e.g i.e vs one ones bug exactly good lot lots
  supposed able because since while during than only everything nothing sort question wonder wondering seem seems think call called see seeing
  first people person user users someone somebody anyone everyone after before without every all each other others another it'll bit
  api service web data server`,
);

/** Words that tell little: without them a question asks the same. */
const weakWords = stems(
  `find check make single simple simply easy easily certain particular specific specify given currently own real right correct whole actual many few several
  different kind kinds general normal usual common typical proper properly main basic available manage handle allow support big small new old time times
  response endpoint field parameter property value set setting option choose pick define provide offer supply include contain hold tells mean describe look
  turn back part piece example detail details info information quickly fast best better default maximum minimum max min limit long short size number amount
  smallest largest biggest shortest longest upper lower bound able access accidentally achieve across add additional address adjust advance afterwards against
  ago ahead almost alone along already although always among angry annoying answer anymore anyway apart appear apply approach around arrange arrive ask aspect
  assume attempt automatically avoid await aware away bad base become bed begin behave behavior behaviour behind being believe belong below beside big blank
  bother bottom break bring broken build button buy care careful carefully case cause chance change clear clever click close code cold come comfortable compare
  complain complete completely concern confused confusing consider contains convenient cool copy count couple course cover crazy create curious cut dare deal
  debug decide deep definitely depend describe deserve develop developer developing difference difficult direct directly discover distinct double doubt down
  drop during each earlier early edge effect effort either else emit empty enough ensure enter entire entirely entry even eventually ever exact example
  except excellent exist expect explain express extra face fact fail fair fall familiar far feel fill final finally fine finish fire fit fix follow forever
  forget form forth forward free frequently fresh friend full fully fun further game generally gentle glad great group grow guess guide guy half halt hand
  hang happy hard hardly hate head hear heard heavy helpful hence hide high hint hit home honest hope huge human idea ideally identify immediately
  important impossible improve indicate inform inside instance instantly instead intend intended interest involve issue item join jump kept kick lack large
  last late later latest layer lead leak learn least leave left less letter level life light like likely line link list listen little local locate location
  longer lose loud love low lucky manner mark match matter maybe meaning meanwhile medium meet mention mess mind minor miss missing mix moment more mostly
  move must near nearly necessary necessarily neither never nice nobody none nor normally note notice nowhere obtain obvious obviously occasionally occur odd
  often older once only onto opposite order ordinary original otherwise ought outside overall owner pain pair perfect perfectly perform perhaps permanently
  place plain plan plenty point poor position possibly potential practice precise precisely prefer prepare present press pretty prevent previous previously
  prior private probably proceed process produce project promise public pull purpose push quick quiet quite raise random range rare rarely rather reach react
  read readily ready reason reasonable receive recent recently recognise recognize recommend record reduce refer regard regular regularly reject relate related
  relative relevant reliable remain repeat report reported replace report represent require required resolve respect respond rest reporting restrict result reveal rid rough
  roughly round route rule rush sadly safe safely satisfied say scenario scope second secret section select separate separately serious serve several shape
  shared sharing sharp short show sight sign silly similar similarly simple since situation skip slight slightly slow slowly small smart smooth somehow
  somewhat somewhere soon sorry special specifically spend spot stage stand standard start stated stay steady step stick stories straight strange strictly
  strong struggle stuck stuff style subject such sudden suddenly suggest suitable sum supposed sure surely surprise surprising suspect switch take talk
  target team temporarily temporary tend term terrible then therefore think thorough thought tidy tie tight tiny tired today together tomorrow tonight top
  topic total totally touch toward track treat trick tricky trigger trouble true truly trust turn twice type typing ugly unable underlying unexpected
  unexpectedly unfortunately unless unlike until unusual upon usual usually vanish various vast view visible wait wake walk warm warn waste watch weak weird
  bot boss customer client shop tool job besides beside interfere moment lately anyhow program programmer engineer folk guy colleague teammate friend app
  application product company website site blog article news story thread post forum morning evening night hello dear cheers regards amazing awesome
  cannot gonna wanna gotta kinda stuff etc foo bar baz test testing tests tried example.com localhost production staging environment demo prototype
  welcome while whole wide willing wise wish wonder word worry worse worst wrong yesterday yet`,
);

function stems(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/).flatMap((word) => [word, stem(word)]));
}

export function isWeakWord(word: string): boolean {
  return weakWords.has(stem(word.toLowerCase()));
}

export function isStopWord(word: string): boolean {
  const lower = word.toLowerCase();
  return stopWords.has(lower) || stopWords.has(stem(lower));
}

/** Phrase of stems -> what it finds: terms, each with how well it stands for the phrase. */
export type Thesaurus = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** How well a synonym stands for what was said, and how well one word of a phrase of several stands for all of it. */
const synonymWeight = 0.75;
const partWeight = 0.4;

/** Builds the table. */
export function buildThesaurus(): Thesaurus {
  const table = new Map<string, Map<string, number>>();
  for (const line of lines.trim().split('\n')) {
    const [left = [], right] = line.split('=>').map((side) => side.split(',').map(leadingForms));
    for (const phrase of left) {
      const key = phrase.join(' ');
      const found = table.get(key) ?? new Map<string, number>();
      table.set(key, found);
      for (const target of right ?? left) {
        const weight = target.length === 1 ? synonymWeight : partWeight;
        for (const term of target) found.set(term, Math.max(found.get(term) ?? 0, weight));
      }
    }
  }
  return table;
}

/** A phrase, word by word: an identifier whole, another word by its stem. */
export function leadingForms(text: string): string[] {
  return wordsOf(text).map((word) => formsOf(word)[0] ?? word);
}
