import { afterEach, expect, it } from 'vitest';
import { cleanUp, raw, startPort } from '#test/support/processes/port-testing.ts';
import { Counter, Histogram, printFamilies } from './instruments.ts';
import { Metrics } from './metrics.ts';

afterEach(cleanUp);

/** A line of the text format: a comment, or a name with labels and a number. */
const LINE =
  /^(# (HELP|TYPE) [a-z_:]+ .+|[a-z_:]+(\{[a-z_]+="([^"\\\n]|\\[\\n"])*"(,[a-z_]+="([^"\\\n]|\\[\\n"])*")*\})? -?[\d.e+-]+)$/;

it('prints valid lines, and cumulative buckets', () => {
  const counter = new Counter('a_total', 'with a \\ and\na new line');
  counter.add({ label: 'a "quoted" \\ text\nof two lines' });
  counter.add({ label: 'a "quoted" \\ text\nof two lines' }, 2);
  const histogram = new Histogram('b_seconds', 'b', [0.1, 1]);
  for (const value of [0.1, 0.5, 7]) histogram.observe({ x: 'y' }, value);
  const text = printFamilies([counter, histogram, new Counter('c_total', 'never used')]);
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(LINE);
  expect(text).toBe(
    '# HELP a_total with a \\\\ and\\na new line\n# TYPE a_total counter\n' +
      'a_total{label="a \\"quoted\\" \\\\ text\\nof two lines"} 3\n' +
      '# HELP b_seconds b\n# TYPE b_seconds histogram\n' +
      'b_seconds_bucket{x="y",le="0.1"} 1\nb_seconds_bucket{x="y",le="1"} 2\n' +
      'b_seconds_bucket{x="y",le="+Inf"} 3\nb_seconds_sum{x="y"} 7.6\nb_seconds_count{x="y"} 3\n',
  );
});

it('counts requests by route and status, without private parts of their addresses', async () => {
  const metrics = new Metrics();
  const { port } = await startPort(() => new Response('no', { status: 404 }), { gates: [metrics.gate] });
  await raw(port, { path: '/api/blobs/sha256:secret' });
  await raw(port, { path: '/secret', method: 'BREW' }).catch(() => {});
  await raw(port, { path: '/secret', method: 'DELETE' });
  await raw(port, { path: '/api/version?of=/secret' });
  await raw(port, { path: '/?secret' });
  const text = metrics.print({ models: { loaded: 1, waiting: 4 }, images: 2 });
  for (const line of text.trimEnd().split('\n')) expect(line).toMatch(LINE);
  expect(text).not.toContain('secret');
  expect(text).toContain(
    'tabd_requests_total{api="local-models",route="/api/blobs/:digest",method="GET",status="404"} 1',
  );
  expect(text).toContain('tabd_request_duration_seconds_count{api="local-models",route="other"} 1');
  expect(text).toContain('tabd_request_duration_seconds_count{api="local-models",route="/api/version"} 1');
  expect(text).toContain('tabd_request_duration_seconds_count{api="local-models",route="/"} 1');
  expect(text).toContain('tabd_requests_running{api="local-models"} 0');
  expect(text).toContain('tabd_queue_length{queue="models"} 4');
  expect(text).toContain('tabd_queue_length{queue="image-workflows"} 2');
  expect(text).not.toContain('queue="webhooks"');
});
