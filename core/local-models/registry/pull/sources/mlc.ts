/** Models of web-llm's list: a repository of the model hub, and compiled code from another place. */
import type { Host, LocatedFile, PrebuiltModel } from '#core/host';
import { CHAT_CONFIG, TENSOR_LISTS } from '../../formats/mlc/mlc-metadata.ts';
import { locateHttpFile } from '../../transfer/http-file.ts';
import type { RepositoryFile } from './choose-gguf.ts';
import { type Chosen, hubSource } from './hub.ts';
import { type Source, SourceRefused } from './offer.ts';

type MlcHost = Pick<Host, 'network' | 'setting'>;

const SHARD = /^params_shard_(\d+)\.bin$/;

export function mlcSource(host: MlcHost, model: PrebuiltModel): Source {
  const repository = new URL(model.repository).pathname.split('/').slice(1, 3).join('/');
  const weights = hubSource(host, { repository, choose: (files) => chooseMlc(files, repository, model) });
  return {
    name: weights.name,
    async find(signal) {
      // The code first: without it the weights, which are long, are of no use.
      const library = await libraryOf(host, model, signal);
      const offer = await weights.find(signal);
      return offer && { ...offer, files: [...offer.files, library] };
    },
  };
}

async function libraryOf(host: MlcHost, model: PrebuiltModel, signal: AbortSignal): Promise<LocatedFile> {
  const name = new URL(model.library).pathname.split('/').at(-1)!;
  const found = await locateHttpFile(
    host.network,
    { role: 'library', name, url: model.library, foreignEtag: true },
    signal,
  );
  if (found) return { ...found, path: name };
  throw new SourceRefused(
    `the model library of ${model.id} is not at ${model.library}; take another variant, or a newer tabd`,
  );
}

/** Everything that web-llm reads: configuration, tokenizer, the list of the weights and the files that it names. */
export function chooseMlc(
  files: RepositoryFile[],
  repository: string,
  { manifest }: Pick<PrebuiltModel, 'manifest'>,
): Chosen[] {
  const find = (path: string) => files.find((file) => file.path === path);
  const need = (...paths: string[]): RepositoryFile => {
    const found = paths.map(find).find((file) => file !== undefined);
    if (found) return found;
    throw new SourceRefused(`${repository} is no MLC model that can be run: it holds no ${paths[0]}`);
  };
  const number = ({ path }: RepositoryFile) => Number(SHARD.exec(path)?.[1]);
  const shards = files.filter(({ path }) => SHARD.test(path)).sort((a, b) => number(a) - number(b));
  if (shards.length === 0) {
    throw new SourceRefused(`${repository} is no MLC model that can be run: it holds no params_shard_0.bin`);
  }
  const settings = [need(CHAT_CONFIG), find('tokenizer_config.json'), manifest ? need(manifest) : undefined];
  const as = (role: Chosen['role']) => (file: RepositoryFile) => ({ role, file, path: file.path });
  return [
    as('weights')(shards[0]!),
    ...shards.slice(1).map(as('part')),
    as('config')(need(...TENSOR_LISTS)),
    ...settings.filter((file) => file !== undefined).map(as('config')),
    as('tokenizer')(need('tokenizer.json')),
  ];
}
