import type { ModelFile } from '#core/host';
import { cosine, minilmFiles, minilmReference } from '../../support/local-models/minilm.ts';
import type { fixtureOf } from './fixture-page.ts';
import { fixtureSite, type Site } from './fixture-site.ts';

export async function siteWithMinilm(isolated: boolean): Promise<Site> {
  const files = await minilmFiles();
  return fixtureSite({
    isolated,
    files: Object.fromEntries(files.map(({ name, path }) => [`/minilm/${name}`, path])),
  });
}

/** Stores all files of the model in the page's site. */
export async function storeMinilm(fixture: ReturnType<typeof fixtureOf>): Promise<ModelFile[]> {
  const stored: ModelFile[] = [];
  for (const { role, name } of await minilmFiles()) {
    stored.push({ role, name, ...(await fixture.call('store', `/minilm/${name}`)) });
  }
  return stored;
}

/** Cosines with the reference vectors of the first `count` texts. */
export async function cosines(
  fixture: ReturnType<typeof fixtureOf>,
  id: number,
  count: number,
): Promise<number[]> {
  const references = minilmReference.slice(0, count);
  const answer = await fixture.call(
    'embed',
    id,
    references.map(({ text }) => text),
  );
  if ('error' in answer) throw new Error(answer.error);
  return answer.vectors.map((vector, i) => cosine(vector, references[i]!.vector));
}
