import { expect, it } from 'vitest';
import { qrPath } from './link-code.ts';

const LINK = 'https://192.168.1.5:4180/#/bridge?token=aVeryLongTokenOf32CharactersXYZ0';

/** Whether each module is dark, read from the path. */
function modules({ path, size }: ReturnType<typeof qrPath>): boolean[][] {
  const rows = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y] of path.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) rows[Number(y)]![Number(x)] = true;
  return rows;
}

it('has the three finder patterns of ISO/IEC 18004 inside a white border of four modules', () => {
  const code = qrPath(LINK);
  const rows = modules(code);
  const side = code.size - 8;
  expect((side - 17) % 4).toBe(0);
  const finder = ['1111111', '1000001', '1011101', '1011101', '1011101', '1000001', '1111111'];
  for (const [left, top] of [
    [4, 4],
    [4 + side - 7, 4],
    [4, 4 + side - 7],
  ] as const) {
    const square = rows.slice(top, top + 7).map((row) =>
      row
        .slice(left, left + 7)
        .map(Number)
        .join(''),
    );
    expect(square).toEqual(finder);
  }
  const border = rows.flatMap((row, y) =>
    row.filter((_dark, x) => x < 4 || y < 4 || x >= 4 + side || y >= 4 + side),
  );
  expect(border).not.toContain(true);
});

it('differs for each link', () => {
  expect(qrPath(LINK).path).not.toBe(qrPath(`${LINK}x`).path);
});
