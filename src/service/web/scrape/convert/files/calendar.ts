import { escaped } from './html.ts';

/** What is shown of an event, by the names of its properties (RFC 5545). */
const shown: Readonly<Record<string, string>> = {
  SUMMARY: 'Event',
  DTSTART: 'Start',
  DTEND: 'End',
  RRULE: 'Repeats',
  LOCATION: 'Location',
  STATUS: 'Status',
  DESCRIPTION: 'Description',
};
const maxEvents = 100;

/** Writes the events of a calendar. */
export function calendarHtml(source: string): string {
  const unfolded = source.replaceAll(/\r?\n[ \t]/g, '');
  const events = [...unfolded.matchAll(/^BEGIN:VEVENT\r?$(.*?)^END:VEVENT/gims)].slice(0, maxEvents);
  return events.map(([, event = '']) => eventHtml(event.replaceAll(/^BEGIN:VALARM.*?^END:VALARM/gims, ''))).join('');
}

function eventHtml(event: string): string {
  const properties = new Map<string, string>();
  for (const [, name = '', parameters = '', value = ''] of event.matchAll(
    /^([\w-]+)((?:;(?:"[^"\n]*"|[^":\n])*)?):(.*)$/gm,
  )) {
    const [, zone] = /;TZID="?([^";]+)/i.exec(parameters) ?? [];
    const text = dated(unescaped(value.trim())) + (zone === undefined ? '' : ` (${zone})`);
    if (text !== '') properties.set(name.toUpperCase(), text);
  }
  const lines = Object.entries(shown).flatMap(([name, label]) => {
    const text = properties.get(name);
    return text === undefined ? [] : [`<strong>${label}:</strong> ${escaped(text).replaceAll('\n', '<br>')}`];
  });
  return `<p>${lines.join('<br>')}</p>`;
}

function unescaped(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, character: string) => (/n/i.test(character) ? '\n' : character));
}

/** Writes a date, such as `20260305T143000Z`, with its separators. */
function dated(value: string): string {
  return value
    .replace(/^(\d{4})(\d\d)(\d\d)(?=T\d{6}Z?$|$)/, '$1-$2-$3')
    .replace(/^(\d{4}-\d\d-\d\d)T(\d\d)(\d\d)(\d\d)(Z?)$/, '$1T$2:$3:$4$5');
}
