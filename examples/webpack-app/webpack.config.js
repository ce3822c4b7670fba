import { fileURLToPath } from 'node:url';

export default {
  mode: 'production',
  entry: './src/main.js',
  output: { path: fileURLToPath(new URL('dist', import.meta.url)), filename: 'main.[contenthash:8].js' },
  plugins: [
    // The page names the bundle, whose name holds its content.
    (compiler) =>
      compiler.hooks.thisCompilation.tap('page', (compilation) =>
        compilation.hooks.processAssets.tap('page', () => {
          const main = [...compilation.entrypoints.get('main').getFiles()][0];
          const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<title>A webpack app with tabd</title>
<h1>A webpack app with tabd</h1>
<p id="models"></p>
<script type="module" src="${main}"></script>
</html>
`;
          compilation.emitAsset('index.html', new compiler.webpack.sources.RawSource(html));
        }),
      ),
  ],
};
