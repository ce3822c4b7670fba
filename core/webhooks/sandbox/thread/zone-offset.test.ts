import { describe, expect, it } from 'vitest';
import { zoneOffset } from './zone-offset.ts';

describe('zoneOffset', () => {
  it.each([
    ['UTC', '2025-06-15T12:00:00Z', 0],
    ['Europe/Berlin', '2025-01-15T12:00:00Z', 60],
    ['Europe/Berlin', '2025-06-15T12:00:00Z', 120],
    // Summer time begins at 01:00 UTC.
    ['Europe/Berlin', '2025-03-30T00:59:59.999Z', 60],
    ['Europe/Berlin', '2025-03-30T01:00:00.000Z', 120],
    ['Asia/Kolkata', '2025-06-15T12:00:00Z', 330],
    ['America/St_Johns', '2025-01-15T12:00:00Z', -210],
    ['Pacific/Kiritimati', '2025-01-15T12:00:00Z', 840],
    ['UTC', '1969-12-31T23:59:59.999Z', 0],
    ['UTC', '0000-06-15T00:00:00Z', 0],
    ['UTC', '-000043-03-15T00:00:00Z', 0],
  ])('%s at %s is %d minutes east of UTC', (zone, time, minutes) => {
    expect(zoneOffset(zone, Date.parse(time))).toBe(minutes);
  });

  it('is a part of a minute where a zone kept local mean time', () => {
    // 9:18:59 east of UTC.
    expect(zoneOffset('Asia/Tokyo', Date.parse('1850-01-01T00:00:00Z'))).toBeCloseTo(558 + 59 / 60, 9);
  });

  it('is NaN for an unknown zone and for no time', () => {
    expect(zoneOffset('Mars/Olympus', 0)).toBeNaN();
    expect(zoneOffset('UTC', Number.NaN)).toBeNaN();
  });
});
