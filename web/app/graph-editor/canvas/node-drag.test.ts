import { afterEach, expect, it, vi } from 'vitest';
import { NodeDrag } from './node-drag.ts';
import type { Point } from './socket-positions.ts';
import { distanceTo } from './wire-layer.ts';

afterEach(() => vi.unstubAllGlobals());

it('moves nodes once per frame, and ends at the last position', () => {
  let frame: (() => void) | undefined;
  vi.stubGlobal('requestAnimationFrame', (run: () => void) => {
    frame = run;
    return 1;
  });
  vi.stubGlobal('cancelAnimationFrame', () => {});
  const view = (x: number) => ({
    position: { x, y: 0 } as Point,
    element: { style: { transform: 'translate(1px)', left: '', top: '' } },
  });
  const nodeViews = new Map([
    ['a', view(0)],
    ['b', view(300)],
    ['c', view(600)],
  ]);
  const moved: string[] = [];
  const carrier = new NodeDrag({ nodeViews } as never, (id) => moved.push(id));
  carrier.start(['a', 'b']);
  carrier.moveBy({ x: 5, y: 5 });
  carrier.moveBy({ x: 10.4, y: 20 });
  expect(moved).toEqual([]);
  frame!();
  expect(moved).toEqual(['a', 'b']);
  expect(nodeViews.get('b')!.position).toEqual({ x: 310, y: 20 });
  expect(nodeViews.get('b')!.element.style).toEqual({ transform: '', left: '310px', top: '20px' });
  expect(nodeViews.get('c')!.position).toEqual({ x: 600, y: 0 });
  carrier.moveBy({ x: 12, y: 0 });
  expect(carrier.has('a')).toBe(true);
  expect([...carrier.end()]).toEqual([
    ['a', { x: 12, y: 0 }],
    ['b', { x: 312, y: 0 }],
  ]);
  expect(carrier.has('a')).toBe(false);
});

it('measures the distance of a point from a wire', () => {
  const [from, to] = [
    { x: 0, y: 0 },
    { x: 100, y: 100 },
  ];
  expect(distanceTo({ x: 50, y: 50 }, from, to)).toBeLessThan(1);
  expect(distanceTo({ x: -10, y: 0 }, from, to)).toBeCloseTo(10);
  expect(distanceTo({ x: 0, y: 100 }, from, to)).toBeGreaterThan(40);
  expect(distanceTo({ x: 3, y: 4 }, from, from)).toBeCloseTo(5);
});
