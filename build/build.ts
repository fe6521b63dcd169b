import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

// Makes dist/: plain JavaScript with source maps, since Node strips no types below node_modules. All packages are taken in,
// as far as they are in use: a few files are loaded in half the time and memory of two thousand. What holds native code
// stays a dependency that is loaded; that the others are named as such tells audits what is inside.

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const font = join(root, 'node_modules/dejavu-fonts-ttf')
// Before anything is read: what is edited meanwhile is not in what is made.
const { listSources }: { listSources: (home: string) => string } = await import(
  new URL('../bin/listSources.js', import.meta.url).href
)
const sources = listSources(root)

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: join(root, 'src/main.ts'), ledgerWorker: join(root, 'src/store/ledgerWorker.ts') },
  platform: 'node',
  external: (id) => isBuiltin(id) || id === '@resvg/resvg-js',
})
const { output } = await bundle.write({
  dir: dist,
  sourcemap: true,
  // The lines of a trace need the names of the sources, not their text.
  sourcemapExcludeSources: true,
  chunkFileNames: '[name].js',
  // Node keeps the text of what it runs in memory, with two bytes for each character where one is beyond Latin-1. Names stay,
  // for traces.
  minify: { compress: false, mangle: false, codegen: { asciiOnly: true } },
})
await bundle.close()
copyFileSync(join(font, 'ttf/DejaVuSans.ttf'), join(dist, 'DejaVuSans.ttf'))

const taken = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])).flatMap(listFolders)
writeFileSync(
  join(dist, 'third-party-licences.txt'),
  [...new Set([...taken, font])].map(readLicence).join('\n'),
)
// Last: a build that was cut off is none.
writeFileSync(join(dist, 'sources.txt'), sources)

/** The folder of the package that a module is from, if it is none of ours. */
function listFolders(id: string): string[] {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
  return folder === undefined ? [] : [folder]
}

function readLicence(folder: string): string {
  const { name, version, license }: { name: string; version: string; license?: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)(-\w+)?(\.\w+)?$/i.test(file))
  // Some name their licence and bring no text of it.
  if (files.length === 0 && license === 'MIT')
    return `== ${name} ${version}\n\nMIT, as its package.json says.\n`
  if (files.length === 0) throw new Error(`${name}: no licence in ${folder}`)
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`== ${name} ${version}`, ...texts, ''].join('\n\n')
}
