/** Folders of models that another installation keeps, from the command line and from `extra_model_paths.yaml`. */
import { existsSync, type Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { FilePath, Log, ModelPlace } from '#core/host';
import { UsageError } from '../base/usage-error.ts';
import { ForeignFolder } from '../storage/foreign-folder.ts';
import { EXTERNAL } from '../storage/mounted-files.ts';
import { readExtraPaths } from './extra-paths.ts';

const CONFIG = 'extra_model_paths.yaml';

export interface ModelFolderOptions {
  home: string;
  env: NodeJS.ProcessEnv;
  log: Log;
  /** Folders that have a folder for each kind, as the `models` of an installation. */
  modelsFolders: readonly string[];
  /** Files in the form of `extra_model_paths.yaml`. The one of the home is read before them. */
  configs: readonly string[];
}

/** Folders of models outside of the home, which are only read. */
export interface ModelFolders {
  /** By the name under which the file tree has them. */
  mounts: ReadonlyMap<string, ForeignFolder>;
  places: readonly ModelPlace[];
}

interface Folder {
  /** A base for the name in the file tree. */
  label: string;
  folder: string;
  kind?: string;
  isDefault?: boolean;
}

/**
 * Folders that a configuration names may be missing: the log says so, and their models appear with them.
 * @throws UsageError for options that name nothing, and for a configuration with errors
 */
export async function readModelFolders(options: ModelFolderOptions): Promise<ModelFolders> {
  const { home, env, log } = options;
  const own = join(home, CONFIG);
  const configs = [...(existsSync(own) ? [own] : []), ...options.configs];
  const folders: Folder[] = await Promise.all(options.modelsFolders.map(modelsFolder));
  for (const config of configs)
    for (const { section, ...path } of await readExtraPaths(config, env)) {
      await warnIfMissing(path.folder, `${config}, section ${section}, ${path.kind}`, log);
      folders.push({ label: `${section}-${path.kind}`, ...path });
    }
  const mounts = new Map<string, ForeignFolder>();
  const places = new Map<string, ModelPlace>();
  for (const { label, folder, kind, isDefault = false } of folders) {
    const key = `${kind ?? ''}\0${folder}`;
    const earlier = places.get(key);
    if (earlier && !isDefault) continue;
    const path = earlier?.path ?? mount(mounts, label, new ForeignFolder(folder, log));
    // A place that is named again as a default moves to the end, from where it comes before older defaults.
    places.delete(key);
    places.set(key, { path, ...(kind !== undefined && { kind }), ...(isDefault && { isDefault }) });
    log.info(`${path} stands for the models in ${folder}`);
  }
  return { mounts, places: [...places.values()] };
}

async function modelsFolder(option: string): Promise<Folder> {
  const folder = resolve(option);
  if (!(await statOf(folder))?.isDirectory())
    throw new UsageError(`--models-folder ${option}: there is no such folder`);
  const inner = join(folder, 'models');
  if ((await statOf(inner))?.isDirectory() && !existsSync(join(folder, 'checkpoints')))
    throw new UsageError(`--models-folder ${option} has no folders of models. Choose its folder: ${inner}`);
  return { label: 'models', folder };
}

async function warnIfMissing(folder: string, where: string, log: Log): Promise<void> {
  const info = await statOf(folder);
  if (!info) log.warn(`there is no folder ${folder}: create it, or correct ${where}`);
  else if (!info.isDirectory()) log.warn(`${folder} is a file, not a folder: correct ${where}`);
}

const statOf = (place: string): Promise<Stats | undefined> => stat(place).catch(() => undefined);

/** Adds a folder under a free name. Returns its path in the file tree. */
function mount(mounts: Map<string, ForeignFolder>, label: string, folder: ForeignFolder): FilePath {
  const base = label.replace(/[^\w.-]+/g, '_').replace(/^\.+/, '') || 'models';
  let name = base;
  for (let number = 2; mounts.has(name); number++) name = `${base}-${number}`;
  mounts.set(name, folder);
  return `${EXTERNAL}/${name}`;
}
