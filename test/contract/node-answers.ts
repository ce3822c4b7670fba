/** The answers of the server that nodes called while they were recorded. */

const RSS = `<?xml version="1.0"?><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><title>Feed</title>
<item><title>A &amp; B</title><link>http://x/1</link><guid>g1</guid><dc:creator>Ann</dc:creator>
<pubDate>Tue, 07 Jan 2025 10:00:00 GMT</pubDate><category>c1</category><category>c2</category>
<description>&lt;p&gt;Hi &lt;b&gt;you&lt;/b&gt;&lt;/p&gt;</description></item>
<item><title>Second</title><link>http://x/2</link><content:encoded><![CDATA[<i>full</i>]]></content:encoded>
<enclosure url="http://x/a.mp3" length="5" type="audio/mpeg"/></item></channel></rss>`;

const ATOM = `<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Atom</title><entry><title>E1</title>
<link href="http://x/e1"/><id>e1</id><updated>2025-01-02T00:00:00Z</updated><author><name>Bob</name></author>
<summary>sum</summary><content type="html">&lt;p&gt;c&lt;/p&gt;</content></entry></feed>`;

const json = (value: unknown, status = 200) =>
  new Response(JSON.stringify(value), {
    status,
    statusText: 'OK',
    headers: { 'content-type': 'application/json' },
  });
const text = (value: string, type: string) => new Response(value, { headers: { 'content-type': type } });

/** The answer to a request of a recorded node, by its path. */
export async function answerOf(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const body = await request.clone().text();
  switch (pathname) {
    case '/weather':
      return json({ city: searchParams.get('city'), temp: 21 });
    case '/echo': {
      const ct = request.headers.get('content-type');
      const parsed = ct === 'application/json' && body !== '' ? JSON.parse(body) : body;
      return json({ method: request.method, query: Object.fromEntries(searchParams), body: parsed, ct });
    }
    case '/list':
      return json([{ id: 1 }, { id: 2 }]);
    case '/text':
      return text('plain text', 'text/plain');
    case '/page':
      return text('<html><body>page</body></html>', 'text/html');
    case '/rss':
      return text(RSS, 'application/rss+xml');
    case '/rssempty':
      return text('<rss version="2.0"><channel><title>t</title></channel></rss>', 'application/rss+xml');
    case '/atom':
      return text(ATOM, 'application/atom+xml');
    case '/graphql':
      return graphql(request.headers.get('content-type'), body);
    default:
      return json({ message: 'nope' }, 404);
  }
}

function graphql(type: string | null, body: string): Response {
  const call = type === 'application/json' ? JSON.parse(body) : { query: body };
  if (String(call.query).includes('bad')) return json({ errors: [{ message: 'Cannot query field "bad"' }] });
  return json({ data: { hello: 'world', vars: call.variables ?? null } });
}
