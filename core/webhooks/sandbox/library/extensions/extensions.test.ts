import { afterAll, describe, expect, it } from 'vitest';
import { compile } from '#core/webhooks/expressions/compile.ts';
import { inlineSandbox } from '#test/support/host/inline-sandbox.ts';
import { DEFAULT_LIMITS, SandboxPool } from '../../pool.ts';

const pool = new SandboxPool(inlineSandbox, { threads: 1, ...DEFAULT_LIMITS });
afterAll(() => pool.close());

async function evaluate(code: string): Promise<unknown> {
  const program = compile(code);
  if (program.kind !== 'script') throw new Error(`not a script: ${code}`);
  const scope = JSON.stringify({ execution: {}, workflow: {}, parameters: {} });
  const now = Date.UTC(2025, 5, 15, 12);
  const shared = { scope, nodes: {}, timezone: 'Europe/Berlin', now };
  const item = { index: 0, json: '{"here":{"first":"mine"}}', binary: '{}', origins: {} };
  const script = { source: program.source, as: 'value' as const, shared, items: [item] };
  const [result] = await pool.evaluate(script, new AbortController().signal);
  return 'json' in result! ? JSON.parse(result.json) : result;
}

describe('extensions of text', () => {
  it.each([
    ["'a'.hash('sha256').slice(0, 8)", 'ca978112'],
    ["'a'.hash('sha512').length", 128],
    ["'ä€😀'.base64Encode()", 'w6Tigqzwn5iA'],
    ["'w6Tigqzwn5iA'.base64Decode()", 'ä€😀'],
    ["'YW I='.base64Decode()", 'ab'],
    ["'4pyTIMOgIGxhIG1vZGU'.base64Decode()", '✓ à la mode'],
    ["'a b&c'.urlEncode()", 'a%20b%26c'],
    ["'a%20b'.urlDecode()", 'a b'],
    ["'the quick Fox'.toTitleCase()", 'The Quick Fox'],
    ["'HELLO there. who'.toSentenceCase()", 'Hello there. Who'],
    ["'fooBar baz-qux'.toSnakeCase()", 'foo_bar_baz_qux'],
    ["'write to x.y@mail.example.org now'.extractEmail()", 'x.y@mail.example.org'],
    ["'see https://a.example.org/p?q=1 there'.extractUrl()", 'https://a.example.org/p?q=1'],
    ["'https://sub.example.org:8080/p'.extractDomain()", 'sub.example.org'],
    ["'https://example.org/a/b?c#d'.extractUrlPath()", '/a/b'],
    ["['a@b.co', 'a@b', '@b.co'].map((x) => x.isEmail())", [true, false, false]],
    ["['12', '1.5e3', '', '1 2', 'x'].map((x) => x.isNumeric())", [true, true, false, false, false]],
    ["['http://a.example', 'ftp://a.example', 'a.example'].map((x) => x.isUrl())", [true, false, false]],
    ["'<p>a <b>b</b></p>'.removeTags()", 'a b'],
    ["'# T\\n**b** [l](u) `c`'.removeMarkdown()", 'T\nb l c'],
    ["'çñü'.replaceSpecialChars()", 'cnu'],
    ['\'say "hi"\'.quote()', '"say \\"hi\\""'],
    ["'[1,2]'.parseJson()", [1, 2]],
    ["['no', 'false', '0', 'yes', 'x'].map((x) => x.toBoolean())", [false, false, false, true, true]],
    ["['12px'.toInt(), '1.5x'.toFloat(), '3'.toNumber()]", [12, 1.5, 3]],
    ["''.isEmpty() && 'x'.isNotEmpty()", true],
    ["'01/02/2025'.toDateTime('dd/MM/yyyy').toISODate()", '2025-02-01'],
    ["'2025-01-01'.toDateTime().toISO()", '2025-01-01T00:00:00.000+01:00'],
  ])('%s', async (code, value) => expect(await evaluate(code)).toEqual(value));
});

describe('extensions of lists', () => {
  it.each([
    ['[1,2,3].average()', 2],
    ['[[1,2].first(), [1,2].last()]', [1, 2]],
    ["[{a:1,b:1},{a:1,b:2}].unique('a')", [{ a: 1, b: 1 }]],
    ['[1,1,{x:1},{x:1}].removeDuplicates()', [1, { x: 1 }]],
    ["[{a:1,b:2},{a:3}].pluck('a')", [1, 3]],
    ['[1,2].append(3, [4])', [1, 2, 3, [4]]],
    ['[1,2,3].intersection([2,3,4])', [2, 3]],
    ['[{a:1}].union([{a:1},{a:2}])', [{ a: 1 }, { a: 2 }]],
    ['[1,[2]].toJsonString()', '[1,[2]]'],
    ['[5,6].randomItem() > 4', true],
    ['[1,2,3].keys().next().value', 0],
  ])('%s', async (code, value) => expect(await evaluate(code)).toEqual(value));
});

describe('extensions of objects, numbers and booleans', () => {
  it.each([
    ['({a:1,b:2}).keys()', ['a', 'b']],
    ['({a:1}).isEmpty()', false],
    ["({a:'xy',b:'z'}).keepFieldsContaining('x')", { a: 'xy' }],
    ["({a:'1 2',b:3}).urlEncode()", 'a=1+2&b=3'],
    ['({a:null,b:{c:"",d:1}}).compact()', { b: { d: 1 } }],
    ['(2.345).round(2)', 2.35],
    ['(-2.5).floor()', -3],
    ['(3).isOdd()', true],
    ["(1234.5).format('en-IN', { style: 'currency', currency: 'INR' })", '₹1,234.50'],
    ['true.toInt()', 1],
    ['(1750000000).toDateTime("s").toISO()', '2025-06-15T17:06:40.000+02:00'],
  ])('%s', async (code, value) => expect(await evaluate(code)).toEqual(value));
});

describe('extensions of dates', () => {
  const date = "DateTime.fromISO('2025-06-15T10:30:00')";
  it.each([
    [`${date}.format('dd.MM.yy')`, '15.06.25'],
    [`${date}.beginningOf('week').toISODate()`, '2025-06-09'],
    [`${date}.isWeekend()`, true],
    [`${date}.isDst()`, true],
    [`${date}.plus(3, 'days').toISODate()`, '2025-06-18'],
    [`${date}.plus({ weeks: 1 }).toISODate()`, '2025-06-22'],
    [`${date}.minus(90, 'minutes').toFormat('HH:mm')`, '09:00'],
    [`${date}.diffTo('2025-06-14T10:30', 'hours')`, 24],
    [`${date}.diffTo('2025-06-14T08:00', ['days', 'hours'])`, { days: 1, hours: 2.5 }],
    [`${date}.extract('month')`, 6],
    [`${date}.isBetween('2025-06-16', '2025-06-01')`, true],
    [`${date}.isInLast(1, 'days')`, true],
    ['$now.toISO()', '2025-06-15T14:00:00.000+02:00'],
    ['$today.toISO()', '2025-06-15T00:00:00.000+02:00'],
    ['$now.plus({ days: 2 }).toRelative()', 'in 2 days'],
    ["new Date(0).plus(1, 'hour').toISOString()", '1970-01-01T01:00:00.000Z'],
  ])('%s', async (code, value) => expect(await evaluate(code)).toEqual(value));
});

describe('extensions on other values', () => {
  it.each([
    ["'x'.first()", { error: 'first() is only callable on type "Array"' }],
    ['$json.none.first()', { error: "first can't be used on undefined value" }],
    ['$json.none?.first()', { nothing: true }],
    ['$json.here.first + 1', 'mine1'],
    ["'abc'.toInt()", { error: 'cannot convert to integer' }],
    ["'x'.hash('crc')", { error: expect.stringContaining('Unknown algorithm crc') }],
    ['[1].chunk(0)', { error: expect.stringContaining('chunk()') }],
  ])('%s', async (code, value) => {
    expect(await evaluate(code)).toEqual(value);
  });
});
