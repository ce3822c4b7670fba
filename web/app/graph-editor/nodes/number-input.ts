/** Parsing and stepping of typed numbers. */

import { exactInteger, type JsonValue } from '../graph/value.ts';
import type { Widget } from './node-kind.ts';

type NumberWidget = Widget & { kind: 'integer' | 'number' };

/** Parses a typed number and clamps it to the widget's range. Undefined for any other text. */
export function readNumber(widget: NumberWidget, text: string): number | bigint | undefined {
  const plain = text.trim().replace(',', '.');
  const exact = widget.kind === 'integer' ? exactInteger(plain) : undefined;
  const number = exact ?? (plain === '' ? Number.NaN : Number(plain));
  if (typeof number === 'number' && !Number.isFinite(number)) return undefined;
  const { min, max } = widget;
  if (min !== undefined && number < min) return min;
  if (max !== undefined && number > max) return max;
  return widget.kind === 'integer' && typeof number === 'number' ? Math.round(number) : number;
}

/** Adds `by` steps of the widget to `value` and clamps the sum to the widget's range. */
export function stepNumber(widget: NumberWidget, value: JsonValue, by: number): JsonValue {
  if (widget.kind === 'integer') {
    const next =
      BigInt(typeof value === 'bigint' ? value : Math.round(Number(value))) + BigInt(widget.step * by);
    return readNumber(widget, String(next)) ?? value;
  }
  // Rounded to the step's decimals, so that 0.1 + 0.2 is 0.3.
  const digits = Math.min(10, Math.max(decimals(widget.step), decimals(Number(value))));
  return readNumber(widget, (Number(value) + widget.step * by).toFixed(digits)) ?? value;
}

function decimals(number: number): number {
  const text = String(number);
  if (text.includes('e-')) return Number(text.split('e-')[1]);
  return text.split('.')[1]?.length ?? 0;
}
