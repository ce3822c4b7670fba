import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '#core/workflow-format';
import { runFirstOutput } from '#test/support/webhooks/run-node.ts';
import { openEngine } from '#test/support/webhooks/workflow-case.ts';
import type { Engine } from '../../engine/engine.ts';

let engine: Engine;
beforeAll(async () => {
  ({ engine } = await openEngine());
});
afterAll(() => engine.close());

const dateTime = (parameters: JsonObject, input: JsonObject[] = [{}]) =>
  runFirstOutput(engine, { type: 'dateTime', typeVersion: 2, parameters }, input);

describe('Date & Time', () => {
  it.each([
    [
      { operation: 'addToDate', magnitude: '2024-01-31', timeUnit: 'months', duration: 1 },
      { newDate: '2024-02-29T19:00:00.000-05:00' },
    ],
    [
      { operation: 'addToDate', magnitude: '2024-03-09T12:00:00-05:00', duration: 1 },
      { newDate: '2024-03-10T12:00:00.000-04:00' },
    ],
    [
      { operation: 'subtractFromDate', magnitude: 1_700_000_000_000, timeUnit: 'seconds', duration: 10 },
      { newDate: '2023-11-14T17:13:10.000-05:00' },
    ],
    [{ operation: 'formatDate', date: '2024-03-05T10:20:30Z' }, { formattedDate: '03/05/2024' }],
    [
      { operation: 'formatDate', date: '2024-03-05T02:00:00Z', options: { timezone: true } },
      { formattedDate: '03/04/2024' },
    ],
    [
      {
        operation: 'formatDate',
        date: '5.3.2024',
        format: 'yyyy-MM-dd',
        options: { fromFormat: 'd.M.yyyy' },
      },
      { formattedDate: '2024-03-05' },
    ],
    [{ operation: 'formatDate', date: '2024-03-05T10:20:30Z', format: 'X' }, { formattedDate: '1709634030' }],
    [
      { operation: 'roundDate', date: '2024-02-15', mode: 'roundUp' },
      { roundedDate: '2024-02-29T23:59:59.999-05:00' },
    ],
    [
      { operation: 'roundDate', date: '2024-02-15T10:31:00-05:00', toNearest: 'hour' },
      { roundedDate: '2024-02-15T10:00:00.000-05:00' },
    ],
    [{ operation: 'extractDate', date: '2024-02-15T10:31:00-05:00', part: 'hour' }, { datePart: 10 }],
    [
      {
        operation: 'getTimeBetweenDates',
        startDate: '2024-01-01',
        endDate: '2024-01-02T12:00:00Z',
        units: ['hour'],
      },
      { timeDifference: { hours: 36 } },
    ],
    [
      {
        operation: 'getTimeBetweenDates',
        startDate: '2024-01-01',
        endDate: '2024-01-02',
        options: { isoString: true },
      },
      { timeDifference: 'P1D' },
    ],
  ])('computes %j', async (parameters, json) => {
    expect(await dateTime(parameters)).toEqual([json]);
  });

  it('refuses invalid dates and unknown zones', async () => {
    for (const date of ['tomorrow', '', true, '2024-13-40']) {
      expect(await dateTime({ operation: 'extractDate', date })).toEqual({ error: 'Invalid date format' });
    }
    expect(await dateTime({ operation: 'getCurrentDate', options: { timezone: 'Mars/Base' } })).toEqual({
      error: 'The timezone Mars/Base is not valid. Please check the timezone.',
    });
  });
});
