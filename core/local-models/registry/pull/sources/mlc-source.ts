/** Models of web-llm's list: a repository of the model hub, and compiled code from another address. */
import type { Host, LocatedFile, PrebuiltModel } from '#core/host';
import { CHAT_CONFIG, TENSOR_LISTS } from '../../formats/mlc/mlc-metadata.ts';
import { locateHttpFile } from '../../transfer/http-file.ts';
import { hubSource } from './hub-source.ts';
import { type ModelSource, SourceRefused } from './offer.ts';
import type { ChosenFile, RepositoryFile } from './repository-file.ts';

type MlcHost = Pick<Host, 'network' | 'setting'>;

const SHARD = /^params_shard_(\d+)\.bin$/;

export function mlcSource(host: MlcHost, model: PrebuiltModel): ModelSource {
  const repository = new URL(model.repository).pathname.split('/').slice(1, 3).join('/');
  const weights = hubSource(host, { repository, choose: (files) => chooseMlc(files, repository, model) });
  return {
    name: weights.name,
    async find(signal) {
      // The code comes first: without it the weights, which are large, are useless.
      const library = await findLibrary(host, model, signal);
      const offer = await weights.find(signal);
      return offer && { ...offer, files: [...offer.files, library] };
    },
  };
}

async function findLibrary(host: MlcHost, model: PrebuiltModel, signal: AbortSignal): Promise<LocatedFile> {
  const name = new URL(model.library).pathname.split('/').at(-1)!;
  const library = await locateHttpFile(
    host.network,
    { role: 'library', name, url: model.library, foreignEtag: true },
    signal,
  );
  if (library) return { ...library, path: name };
  throw new SourceRefused(
    `the model library of ${model.id} is not at ${model.library}; take another variant, or a newer tabd`,
  );
}

/**
 * The files that web-llm reads: configuration, tokenizer, the list of weights, and the files of that list.
 * @throws SourceRefused when one of them is missing
 */
export function chooseMlc(
  files: RepositoryFile[],
  repository: string,
  { manifest }: Pick<PrebuiltModel, 'manifest'>,
): ChosenFile[] {
  const missing = (path: string | undefined) =>
    new SourceRefused(`${repository} is no MLC model that can be run: it holds no ${path}`);
  const find = (path: string) => files.find((file) => file.path === path);
  /** The first of the paths that exists. */
  const requireFile = (...paths: string[]): RepositoryFile => {
    const file = paths.map(find).find((candidate) => candidate !== undefined);
    if (file) return file;
    throw missing(paths[0]);
  };
  const number = ({ path }: RepositoryFile) => Number(SHARD.exec(path)?.[1]);
  const shards = files.filter(({ path }) => SHARD.test(path)).sort((a, b) => number(a) - number(b));
  if (shards.length === 0) throw missing('params_shard_0.bin');
  const settings = [
    requireFile(CHAT_CONFIG),
    find('tokenizer_config.json'),
    manifest ? requireFile(manifest) : undefined,
  ];
  const as = (role: ChosenFile['role']) => (file: RepositoryFile) => ({ role, file, path: file.path });
  return [
    as('weights')(shards[0]!),
    ...shards.slice(1).map(as('part')),
    as('config')(requireFile(...TENSOR_LISTS)),
    ...settings.filter((file) => file !== undefined).map(as('config')),
    as('tokenizer')(requireFile('tokenizer.json')),
  ];
}
