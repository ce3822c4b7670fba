/** Numbers as people type them and step through them. */

import { exactInteger, type JsonValue } from '../graph/value.ts';
import type { Widget } from './node-kind.ts';

type NumberWidget = Widget & { kind: 'whole' | 'number' };

/** Within its bounds; undefined for a text that is no number. */
export function readNumber(widget: NumberWidget, text: string): number | bigint | undefined {
  const plain = text.trim().replace(',', '.');
  const exact = widget.kind === 'whole' ? exactInteger(plain) : undefined;
  const number = exact ?? (plain === '' ? Number.NaN : Number(plain));
  if (typeof number === 'number' && !Number.isFinite(number)) return undefined;
  const { min, max } = widget;
  if (min !== undefined && number < min) return min;
  if (max !== undefined && number > max) return max;
  return widget.kind === 'whole' && typeof number === 'number' ? Math.round(number) : number;
}

/** Up or down by steps of its widget, within its bounds. */
export function stepNumber(widget: NumberWidget, value: JsonValue, by: number): JsonValue {
  if (widget.kind === 'whole') {
    const next =
      BigInt(typeof value === 'bigint' ? value : Math.round(Number(value))) + BigInt(widget.step * by);
    return readNumber(widget, String(next)) ?? value;
  }
  // Decimal steps are added as decimals: 0.1 + 0.2 is 0.3.
  const digits = Math.min(10, Math.max(decimals(widget.step), decimals(Number(value))));
  return readNumber(widget, (Number(value) + widget.step * by).toFixed(digits)) ?? value;
}

function decimals(number: number): number {
  const text = String(number);
  if (text.includes('e-')) return Number(text.split('e-')[1]);
  return text.split('.')[1]?.length ?? 0;
}
