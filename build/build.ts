import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import manifest from '../package.json' with { type: 'json' }

// Makes dist/: plain JavaScript with source maps, since Node strips no types below node_modules. What package.json names
// as a dependency stays one; what build/bundled/package.json names is taken in, as far as it is in use.

const root = join(import.meta.dirname, '..')
const dist = join(root, 'dist')
const font = join(root, 'node_modules/dejavu-fonts-ttf')

rmSync(dist, { recursive: true, force: true })
const bundle = await rolldown({
  input: { main: join(root, 'src/main.ts'), ledgerWorker: join(root, 'src/store/ledgerWorker.ts') },
  platform: 'node',
  external: (id) => isBuiltin(id) || Object.keys(manifest.dependencies).includes(packageOf(id)),
})
const { output } = await bundle.write({
  dir: dist,
  sourcemap: true,
  // The lines of a trace need the names of the sources, not their text.
  sourcemapExcludeSources: true,
  chunkFileNames: '[name].js',
})
await bundle.close()
copyFileSync(join(font, 'ttf/DejaVuSans.ttf'), join(dist, 'DejaVuSans.ttf'))

const taken = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])).flatMap(listFolders)
writeFileSync(
  join(dist, 'third-party-licences.txt'),
  [...new Set([...taken, font])].map(readLicence).join('\n'),
)

/** `@scope/name` or `name` of what is imported. */
function packageOf(id: string): string {
  return id
    .split('/')
    .slice(0, id.startsWith('@') ? 2 : 1)
    .join('/')
}

/** The folder of the package that a module is from, if it is none of ours. */
function listFolders(id: string): string[] {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
  return folder === undefined ? [] : [folder]
}

function readLicence(folder: string): string {
  const { name, version }: { name: string; version: string } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  )
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)(\.\w+)?$/i.test(file))
  if (files.length === 0) throw new Error(`${name}: no licence in ${folder}`)
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`== ${name} ${version}`, ...texts, ''].join('\n\n')
}
