import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

// Makes dist/: plain JavaScript with source maps, since Node strips no types below node_modules. The packages of
// build/bundled are taken in, as far as they are in use: a few files are loaded in half the time and memory of two thousand,
// and an install weighs a seventh. They are no dependencies of the package: what npm would install, and mend, is not what
// runs. A bill of materials beside the code tells audits what does.
// The `dependencies` of package.json are loaded from where they are installed: @resvg/resvg-js holds native code, other for
// each platform, of which npm chooses.

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license?: string
  readonly dependencies?: object
}

const root = join(import.meta.dirname, '..')
const project = readManifest(root)
const dist = join(root, 'dist')
// Beside it, and put in its place at the end: a program that runs what was built before loads whole files to its last moment.
const made = join(root, `dist-${process.pid}`)
process.once('exit', () => rmSync(made, { recursive: true, force: true }))
const font = dirname(fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/package.json')))
// Before anything is read: what is edited meanwhile is not in what is made.
const { listSources }: { listSources: (home: string) => string } = await import(
  new URL('../bin/listSources.js', import.meta.url).href
)
const sources = listSources(root)

const bundle = await rolldown({
  input: {
    main: join(root, 'src/main.ts'),
    ledgerWorker: join(root, 'src/store/ledgerWorker.ts'),
    chartWorker: join(root, 'src/lib/chartWorker.ts'),
  },
  platform: 'node',
  external: (id) => isBuiltin(id) || Object.hasOwn(project.dependencies ?? {}, id),
})
const { output } = await bundle.write({
  dir: made,
  sourcemap: true,
  // The lines of a trace need the names of the sources, not their text.
  sourcemapExcludeSources: true,
  chunkFileNames: '[name].js',
  // Node keeps the text of what it runs in memory, with two bytes for each character where one is beyond Latin-1. Names stay,
  // for traces.
  minify: { compress: false, mangle: false, codegen: { asciiOnly: true } },
})
await bundle.close()
copyFileSync(join(font, 'ttf/DejaVuSans.ttf'), join(made, 'DejaVuSans.ttf'))

const folders = new Set(
  output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])).flatMap(listFolders),
).add(font)
writeFileSync(join(made, 'third-party-licences.txt'), [...folders].map(readLicence).join('\n'))
// By the end of its name scanners of folders and images find it.
writeFileSync(join(made, 'bundled.cdx.json'), `${JSON.stringify(listMaterials(), null, 2)}\n`)
writeFileSync(join(made, 'sources.txt'), sources)
putInPlace()

/**
 * What is there goes aside by its name, in no time, and is removed once the new one stands: a program that starts meanwhile
 * finds all of one or the other. Several may be building: each takes what another put there away once more.
 */
function putInPlace(attempts = 5): void {
  const before = `${made}-before`
  try {
    if (existsSync(dist)) renameSync(dist, before)
    renameSync(made, dist)
  } catch (error) {
    if (attempts === 1) throw error
    putInPlace(attempts - 1)
  } finally {
    rmSync(before, { recursive: true, force: true })
  }
}

/** The folder of the package that a module is from, if it is none of ours. */
function listFolders(id: string): string[] {
  const [, folder] = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id) ?? []
  return folder === undefined ? [] : [folder]
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

function readLicence(folder: string): string {
  const { name, version, license } = readManifest(folder)
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice)(-\w+)?(\.\w+)?$/i.test(file))
  // Some name their licence and bring no text of it.
  if (files.length === 0 && license === 'MIT')
    return `== ${name} ${version}\n\nMIT, as its package.json says.\n`
  if (files.length === 0) throw new Error(`${name}: no licence in ${folder}`)
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim())
  return [`== ${name} ${version}`, ...texts, ''].join('\n\n')
}

/** What was taken in, in the words of CycloneDX, with the checksums of what npm fetched. */
function listMaterials() {
  const lock: { packages: Record<string, { integrity: string }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const components = [...folders].map((folder) => {
    const { integrity = '' } = lock.packages[relative(root, folder)] ?? {}
    const sum = Buffer.from(integrity.replace('sha512-', ''), 'base64')
    const hashes = [{ alg: 'SHA-512', content: sum.toString('hex') }]
    return { ...toComponent('library', readManifest(folder)), hashes }
  })
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: toComponent('application', project) },
    // One version may be installed in several places.
    components: [...new Map(components.map((it) => [it.purl, it])).values()],
  }
}

function toComponent(type: 'application' | 'library', { name, version, license = 'unknown' }: Manifest) {
  // The name by which registries and scanners know a package.
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  // What has no name in the list of SPDX is described in words.
  const licenses = [{ license: license.includes(' ') ? { name: license } : { id: license } }]
  return { type, 'bom-ref': purl, name, version, licenses, purl }
}
