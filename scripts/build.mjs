// Builds everything into `dist/` and `node-shim/dist/`: `node scripts/build.mjs [app] [library] [shim]
// [--force] [--verbose]`. A part is skipped if its inputs have not changed since its last build. `--verbose` shows the
// warnings and timings of the bundler.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { writeFileList } from './file-list.mjs';
import { generateFiles } from './generated-files.mjs';
import { collectPackages, installedFolder } from './third-party/bundled-packages.mjs';
import { readPackage, writeNotices } from './third-party/write-notices.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const inRoot = (path) => join(root, path);
const stampFile = inRoot('.cache/build.json');
const common = [
  'core',
  'vite.config.ts',
  'scripts/build.mjs',
  'scripts/third-party',
  'package-lock.json',
  'tsconfig.base.json',
];

const parts = {
  app: {
    title: 'the page',
    inputs: [...common, 'web', 'workers', 'relay', 'sw', 'models/emoji/emoji-128'],
    outputs: [
      'dist/app/index.html',
      'dist/app/diagram.html',
      'dist/app/THIRD-PARTY-NOTICES.txt',
      'dist/app/sw.js',
      'dist/app/weights/emoji-128/files.json',
    ],
    make: makeApp,
  },
  library: {
    title: 'the library',
    inputs: [...common, 'web', 'workers', 'relay', 'sw', 'tools'],
    outputs: [
      'dist/index.js',
      'dist/THIRD-PARTY-NOTICES.txt',
      'dist/tabd-files.js',
      'dist/share.js',
      'dist/remote.js',
      'dist/tools/cli.js',
      'dist/tools/vite.js',
      'dist/server.worker.js',
      'dist/sw.js',
      'dist/handle.js',
      'dist/types/web/client/index.d.ts',
    ],
    make: makeLibrary,
  },
  shim: {
    title: 'the command',
    inputs: [...common, 'shim', 'node-shim/package.json'],
    outputs: [
      'node-shim/dist/cli.js',
      'node-shim/dist/THIRD-PARTY-NOTICES.txt',
      'node-shim/dist/engine-process.js',
      'node-shim/dist/python-thread.js',
      'node-shim/dist/sandbox-thread.js',
      'node-shim/dist/quickjs.wasm',
      'node-shim/dist/tensor-process.js',
      'node-shim/dist/onnx/ort-wasm-simd-threaded.wasm',
      'node-shim/dist/codecs/webp-encode.wasm',
    ],
    make: makeShim,
  },
};

/** Packages of which the shim contains single files. */
const COPIED_PACKAGES = [
  'onnxruntime-web',
  '@jitl/quickjs-ng-wasmfile-release-sync',
  '@jsquash/jpeg',
  '@jsquash/webp',
];

/** The limit in bytes, after gzip. The browser loads and starts the service worker before it can answer any request. */
const LARGEST_SERVICE_WORKER = 10 * 1024;
/** The limit in bytes, after gzip, of the worker that every first visit loads: `npm run bench sizes` measures the whole. */
const LARGEST_SERVER_WORKER = 80_000;

const args = process.argv.slice(2);
const force = args.includes('--force');
const verbose = args.includes('--verbose');
const chosenParts = args.filter((arg) => !arg.startsWith('--'));
const unknownParts = chosenParts.filter((name) => !Object.hasOwn(parts, name));
if (unknownParts.length > 0) {
  console.error(`unknown part ${unknownParts.join(', ')}: choose among ${Object.keys(parts).join(', ')}`);
  process.exit(2);
}

/** Folders of packages in the generated files, which every part contains. */
const generatedFrom = await generateFiles();
const stamps = existsSync(stampFile) ? JSON.parse(readFileSync(stampFile, 'utf8')) : {};
for (const [name, { title, inputs, outputs, make }] of Object.entries(parts)) {
  if (chosenParts.length > 0 && !chosenParts.includes(name)) continue;
  const stamp = stampOf(inputs);
  if (!force && stamps[name] === stamp && outputs.every((path) => existsSync(inRoot(path)))) {
    if (verbose) console.log(`${title}: unchanged`);
    continue;
  }
  const started = performance.now();
  process.stdout.write(`Building ${title}… `);
  await make().catch((error) => {
    process.stdout.write('failed\n');
    throw error;
  });
  stamps[name] = stamp;
  mkdirSync(inRoot('.cache'), { recursive: true });
  writeFileSync(stampFile, JSON.stringify(stamps));
  process.stdout.write(`${((performance.now() - started) / 1000).toFixed(0)} s\n`);
}

async function makeApp() {
  process.env.TABD_BUILD = String(Date.now());
  const packages = new Set(generatedFrom);
  await vite('app', packages);
  await vite('app-diagrams', packages);
  addWeights('emoji-128');
  const { version, pages, ...appFiles } = shellOf(inRoot('dist/app'));
  process.env.TABD_SHELL = JSON.stringify({ version, pages });
  writeFileSync(inRoot(`dist/app/assets/files-${version}.json`), JSON.stringify(appFiles));
  await vite('app-sw', packages);
  writeNotices(inRoot('dist/app'), readPackage(inRoot('package.json')), packages);
  checkSize('dist/app/sw.js', LARGEST_SERVICE_WORKER);
  for (const file of readdirSync(inRoot('dist/app/assets')))
    if (/^server\.worker-.*\.js$/.test(file)) checkSize(`dist/app/assets/${file}`, LARGEST_SERVER_WORKER);
}

/** Adds this repository's model to the page, so that the first image needs no hub. */
function addWeights(model) {
  cpSync(inRoot(`models/emoji/${model}`), inRoot(`dist/app/weights/${model}`), { recursive: true });
  writeFileList(inRoot(`dist/app/weights/${model}`));
}

/** Fails for a file that has grown: code that a first visit does not need is loaded by `import()`. */
function checkSize(path, limit) {
  const size = gzipSync(readFileSync(inRoot(path))).length;
  if (size > limit) throw new Error(`${path} has grown to ${size} bytes (gzip); the limit is ${limit}`);
}

async function makeLibrary() {
  process.env.TABD_BUILD = String(Date.now());
  for (const old of ['assets', 'types']) rmSync(inRoot(`dist/${old}`), { recursive: true, force: true });
  const packages = new Set(generatedFrom);
  for (const mode of [
    'library',
    'library-worker',
    'library-sw',
    'library-handle',
    'library-handle-global',
    'library-tools',
  ])
    await vite(mode, packages);
  writeNotices(inRoot('dist'), readPackage(inRoot('package.json')), packages);
  for (const file of ['sw.js', 'handle.js', 'handle.global.js'])
    checkSize(`dist/${file}`, LARGEST_SERVICE_WORKER);
  await declarations();
}

async function makeShim() {
  const packages = new Set([...generatedFrom, ...COPIED_PACKAGES.map((name) => installedFolder(root, name))]);
  await vite('shim', packages);
  // Only onnxruntime's build for the CPU is needed. The processes that run ONNX sessions load it from this folder.
  for (const file of ['ort-wasm-simd-threaded.mjs', 'ort-wasm-simd-threaded.wasm']) {
    cpSync(inRoot(`node_modules/onnxruntime-web/dist/${file}`), inRoot(`node-shim/dist/onnx/${file}`));
  }
  cpSync(
    inRoot('node_modules/@jitl/quickjs-ng-wasmfile-release-sync/dist/emscripten-module.wasm'),
    inRoot('node-shim/dist/quickjs.wasm'),
  );
  for (const [name, file] of Object.entries({
    'jpeg-decode': 'jpeg/codec/dec/mozjpeg_dec',
    'jpeg-encode': 'jpeg/codec/enc/mozjpeg_enc',
    'webp-decode': 'webp/codec/dec/webp_dec',
    'webp-encode': 'webp/codec/enc/webp_enc_simd',
  })) {
    cpSync(inRoot(`node_modules/@jsquash/${file}.wasm`), inRoot(`node-shim/dist/codecs/${name}.wasm`));
  }
  // The published shim contains the page and the licence. A clone has the page in `dist/app`.
  cpSync(inRoot('LICENSE'), inRoot('node-shim/LICENSE'));
  writeNotices(inRoot('node-shim/dist'), readPackage(inRoot('node-shim/package.json')), packages);
}

/** @param packages the set to which the folders of bundled packages are added */
function vite(mode, packages) {
  const plugins = [collectPackages(packages)];
  return build({
    configFile: inRoot('vite.config.ts'),
    mode,
    logLevel: verbose ? 'warn' : 'error',
    plugins,
    worker: { plugins: () => plugins },
  });
}

/** Builds the type declarations of the library. */
async function declarations() {
  const { execFileSync } = await import('node:child_process');
  for (const room of ['web', 'sw', 'tools']) {
    execFileSync(
      process.execPath,
      [inRoot('node_modules/typescript/bin/tsc'), '-p', inRoot(`scripts/types.${room}.json`)],
      { stdio: 'inherit', cwd: root },
    );
  }
  withoutAliases(inRoot('dist/types'));
}

/** Replaces `#core/…` by relative paths, because a site would resolve such names by its own package.json. */
function withoutAliases(folder) {
  for (const file of readdirSync(folder, { recursive: true }).map(String)) {
    if (!file.endsWith('.d.ts')) continue;
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8').replace(/(['"])#([\w/.-]+)\1/g, (_, quote, name) => {
      const target = name.endsWith('.ts') ? name.replace(/\.ts$/, '.js') : `${name}/index.js`;
      const to = relative(dirname(path), join(folder, target)).replaceAll('\\', '/');
      return `${quote}${to.startsWith('.') ? to : `./${to}`}${quote}`;
    });
    writeFileSync(path, text);
  }
}

/**
 * The files that the service worker stores for offline use. Files that opening the page needs are stored at
 * once. Large files, such as engines and media codecs, are stored at their first use.
 */
function shellOf(folder) {
  const files = readdirSync(folder, { recursive: true })
    .map(String)
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => statSync(join(folder, path)).isFile());
  const assets = files.filter((path) => path.startsWith('assets/'));
  const isLazy = (path) =>
    path.endsWith('.wasm') ||
    /(engine|tensor)\.worker|ort-wasm|mediabunny|libopus/.test(path) ||
    // The server worker is always needed, whatever its size.
    (!path.includes('server.worker') && statSync(join(folder, path)).size > 512 * 1024);
  const version = createHash('sha256');
  for (const path of files.toSorted())
    if (path !== 'sw.js') version.update(path).update(readFileSync(join(folder, path)));
  return {
    version: version.digest('hex').slice(0, 12),
    pages: ['./', 'index.html', 'diagram.html'],
    hashed: assets.filter((path) => !isLazy(path)),
    lazy: assets.filter(isLazy),
  };
}

/** A hash of the names, sizes and times of all input files. */
function stampOf(inputs) {
  const hash = createHash('sha256');
  const add = (path) => {
    const { mtimeMs, size } = statSync(path);
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  for (const input of inputs.map(inRoot)) {
    if (!statSync(input).isDirectory()) add(input);
    else {
      for (const entry of readdirSync(input, { recursive: true, withFileTypes: true })) {
        if (entry.isFile()) add(join(entry.parentPath ?? entry.path, entry.name));
      }
    }
  }
  return hash.digest('hex');
}
