/** Properties that hold for all values. A failure prints the seed and the path that repeat it. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { decodeFrame, encodeFrame } from '#core/frames/channels/encoding.ts';
import type { Frame } from '#core/frames/grammar.ts';
import { encodePng } from '#core/image-codecs';
import { decodePng } from '#core/image-codecs/png/decode.ts';
import { schemaGrammar } from '#core/local-models/prompting/grammar/json-schema-grammar.ts';
import { cursorOf, page } from '#core/webhooks/control/paging.ts';
import { nextTimeOf, readRules } from '#core/webhooks/nodes/triggers/schedule-trigger/rules.ts';
import { readCalendar, writeCalendar } from '#core/webhooks/tables/calendar.ts';
import { originOf, type RunData } from '#core/workflow-format';
import { byteRange } from '#shim/app-server/byte-range.ts';
import { follows } from '#test/support/local-models/gbnf.ts';
import { GrammarSampler } from '#test/support/local-models/gbnf-sampler.ts';
import { randomNumbers } from '#test/support/local-models/random-schema.ts';

/** Another seed tries other values. */
fc.configureGlobal({ seed: 1 });

const id = fc.maxSafeNat();
const bytes = fc.uint8Array({ maxLength: 100 });
const frames: fc.Arbitrary<Frame> = fc.oneof(
  fc.record({ type: fc.constant('chunk' as const), id, bytes }),
  fc.record({
    type: fc.constant('message' as const),
    id,
    data: fc.oneof(fc.string({ unit: 'binary' }), bytes),
  }),
  fc.record({ type: fc.constant('credit' as const), id, bytes: id }),
  fc.record({ type: fc.constant('error' as const), id, message: fc.string() }),
  fc.record({ type: fc.constant('close' as const), id, code: fc.nat(4999), reason: fc.string() }),
);

it('frames: what is written is read again', () => {
  fc.assert(
    fc.property(frames, (frame) => {
      expect(decodeFrame(encodeFrame(frame))).toEqual(frame);
    }),
  );
});

it('PNG: pixels and texts survive, at each level', () => {
  const images = fc.tuple(
    fc.integer({ min: 1, max: 9 }),
    fc.integer({ min: 1, max: 9 }),
    fc.constantFrom(3, 4),
  );
  fc.assert(
    fc.property(images, fc.nat(9), fc.nat(), fc.string(), ([width, height, channels], level, seed, text) => {
      const random = randomNumbers(seed);
      const data = Uint8Array.from({ length: width * height * channels }, () => random() * 256);
      const pixels = { width, height, channels: channels as 3 | 4, data };
      const decoded = decodePng(encodePng(pixels, { texts: { prompt: text }, level: level as 0 }));
      expect(decoded.frames).toEqual([pixels]);
      expect(decoded.texts).toEqual({ prompt: text });
    }),
  );
});

it('range requests: the range is the part of the file that the header names', () => {
  const edge = fc.option(fc.nat(40), { nil: undefined });
  fc.assert(
    fc.property(edge, edge, fc.nat(30), (first, last, size) => {
      const file = Array.from({ length: size }, (_, at) => at);
      const range = byteRange(`bytes=${first ?? ''}-${last ?? ''}`, size);
      const isBackward = first !== undefined && last !== undefined && last < first;
      if ((first ?? last) === undefined || isBackward) {
        expect(range).toBeUndefined();
        return;
      }
      const expected =
        first === undefined
          ? file.slice(Math.max(0, size - last!))
          : file.slice(first, last === undefined ? size : last + 1);
      const { start, end } = range as { start: number; end: number };
      if (expected.length === 0) expect(range).toBe('unsatisfiable');
      else expect(file.slice(start, end)).toEqual(expected);
    }),
  );
});

it('pages: following the cursors lists each entry once, in order', () => {
  const keys = fc.uniqueArray(fc.string({ minLength: 1, unit: 'grapheme-ascii' }), { maxLength: 40 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 10 }), (entries, limit) => {
      const listed: string[] = [];
      for (let cursor: string | null = '', pages = 0; cursor !== null; pages++) {
        expect(pages).toBeLessThanOrEqual(entries.length);
        const after = cursorOf(new URLSearchParams({ cursor }));
        const start = after === undefined ? 0 : entries.indexOf(after) + 1;
        const { rows, nextCursor } = page(entries.slice(start, start + limit + 1), limit, (key) => key);
        listed.push(...rows);
        cursor = nextCursor;
      }
      expect(listed).toEqual(entries);
    }),
  );
});

it('schedules: times grow, and do not depend on how often they are asked for', () => {
  const rules = fc.record({
    field: fc.constantFrom('seconds', 'minutes', 'hours', 'days', 'weeks', 'months'),
    secondsInterval: fc.integer({ min: 1, max: 200 }),
    minutesInterval: fc.integer({ min: 1, max: 200 }),
    hoursInterval: fc.integer({ min: 1, max: 60 }),
    daysInterval: fc.integer({ min: 1, max: 40 }),
    weeksInterval: fc.integer({ min: 1, max: 8 }),
    monthsInterval: fc.integer({ min: 1, max: 14 }),
    triggerAtDay: fc.uniqueArray(fc.nat(6), { minLength: 1 }),
    triggerAtDayOfMonth: fc.integer({ min: 1, max: 28 }),
    triggerAtHour: fc.nat(23),
    triggerAtMinute: fc.nat(59),
  });
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu');
  const times = fc.integer({ min: 1_500_000_000_000, max: 1_900_000_000_000 });
  fc.assert(
    fc.property(
      rules,
      zones,
      times,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (rule, zone, anchor, part) => {
        const next = nextTimeOf(readRules({ interval: [rule] })[0]!, zone, anchor);
        const first = next(anchor)!;
        const second = next(first)!;
        expect(first).toBeGreaterThan(anchor);
        expect(second).toBeGreaterThan(first);
        // Between two times, the next one is always the second.
        expect(next(Math.floor(first + part * (second - 1 - first)))).toBe(second);
      },
    ),
    { numRuns: 60 },
  );
});

it('calendars: texts survive', () => {
  const text = fc.string({ unit: 'grapheme' }).map((value) => value.replace(/[\r\n]+/g, '\n'));
  const start = DateTime.fromMillis(1_700_000_000_000, { zone: 'UTC' });
  fc.assert(
    fc.property(text, text, (title, place) => {
      const event = { title, start, end: start, allDay: false, stamp: start, uid: 'u', lines: [] };
      const calendar = readCalendar(writeCalendar({ ...event, texts: [['LOCATION', place]] }));
      expect(calendar).toMatchObject({ VCALENDAR: [{ VEVENT: [{ SUMMARY: title, LOCATION: place }] }] });
    }),
  );
});

it('pairing: an item leads back to its origin through any number of nodes', () => {
  const lists = fc.array(fc.array(fc.nat(5), { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(lists, fc.nat(5), (steps, index) => {
      const runData: Record<string, unknown> = {
        n0: [{ source: [], data: { main: [items([0, 1, 2, 3, 4, 5])] } }],
      };
      for (const [at, pairs] of steps.entries())
        runData[`n${at + 1}`] = [{ source: [{ previousNode: `n${at}` }], data: { main: [items(pairs)] } }];
      // The item of a list that is too short has no origin.
      let position: number | undefined = index;
      for (const pairs of steps.toReversed()) position = position === undefined ? undefined : pairs[position];
      const found = originOf(runData as RunData, [{ previousNode: `n${steps.length}` }], 0, index, 'n0');
      if (position === undefined) expect(found).toHaveProperty('problem');
      else expect(found).toEqual({ run: 0, output: 0, index: position });
    }),
  );
});

const items = (pairs: number[]) => pairs.map((item) => ({ json: {}, pairedItem: { item } }));

/** A schema, and values that it allows. */
const schemas: fc.Arbitrary<{ schema: Record<string, unknown>; values: fc.Arbitrary<unknown> }> = fc.letrec<{
  any: { schema: Record<string, unknown>; values: fc.Arbitrary<unknown> };
}>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    fc.constant({ schema: { type: 'boolean' }, values: fc.boolean() as fc.Arbitrary<unknown> }),
    fc.constant({ schema: { type: 'null' }, values: fc.constant(null) as fc.Arbitrary<unknown> }),
    fc.tuple(fc.integer({ min: -999, max: 999 }), fc.nat(500)).map(([minimum, size]) => ({
      schema: { type: 'integer', minimum, maximum: minimum + size },
      values: fc.integer({ min: minimum, max: minimum + size }) as fc.Arbitrary<unknown>,
    })),
    fc.nat(4).map((minLength) => ({
      schema: { type: 'string', minLength, maxLength: minLength + 3 },
      values: fc.string({
        minLength,
        maxLength: minLength + 3,
        unit: 'grapheme-ascii',
      }) as fc.Arbitrary<unknown>,
    })),
    fc.uniqueArray(fc.oneof(fc.string(), fc.integer()), { minLength: 1, maxLength: 4 }).map((choices) => ({
      schema: { enum: choices },
      values: fc.constantFrom(...choices) as fc.Arbitrary<unknown>,
    })),
    fc.tuple(tie('any'), fc.nat(2)).map(([inner, minItems]) => ({
      schema: { type: 'array', items: inner.schema, minItems, maxItems: minItems + 2 },
      values: fc.array(inner.values, {
        minLength: minItems,
        maxLength: minItems + 2,
      }) as fc.Arbitrary<unknown>,
    })),
    fc.tuple(tie('any'), tie('any')).map(([a, b]) => ({
      schema: {
        type: 'object',
        properties: { a: a.schema, b: b.schema },
        required: ['a'],
        additionalProperties: false,
      },
      values: fc.record({ a: a.values, b: b.values }, { requiredKeys: ['a'] }) as fc.Arbitrary<unknown>,
    })),
  ),
})).any;

it('grammars: each value of a schema follows its grammar, and each text of the grammar is valid', () => {
  fc.assert(
    fc.property(schemas, fc.nat(), ({ schema, values }, seed) => {
      const grammar = schemaGrammar(schema);
      for (const value of fc.sample(values, { numRuns: 3, seed }))
        expect(
          follows(grammar, JSON.stringify(value)),
          `${JSON.stringify(value)} of ${JSON.stringify(schema)}`,
        ).toBe(true);
      const validate = new Ajv2020({ strict: false }).compile(schema);
      const sampler = new GrammarSampler(grammar, randomNumbers(seed));
      for (let run = 0; run < 3; run++) expect(validate(JSON.parse(sampler.sample()))).toBe(true);
    }),
    { numRuns: 60 },
  );
});
