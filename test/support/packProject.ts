import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
const exec = promisify(execFile)

/** Builds the package and packs it into a folder, as `npm publish` would: the tarball, and what is in it. */
export async function packProject(folder: string): Promise<{ tarball: string; files: string[] }> {
  const { stdout } = await exec('npm', ['pack', '--json', '--pack-destination', folder], { cwd: root })
  const [packed]: { filename: string; files: { path: string }[] }[] = JSON.parse(
    stdout.slice(stdout.indexOf('[')),
  )
  if (packed === undefined) throw new Error(`npm pack said:\n${stdout}`)
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }) => path) }
}

/**
 * Puts a tarball into a folder as npm would with nothing but what package.json says, taken from this project's own
 * packages: without a registry. Returns the program.
 */
export async function installOffline(tarball: string, folder: string): Promise<string> {
  const home = join(folder, 'node_modules/spanwatch')
  mkdirSync(home, { recursive: true })
  await exec('tar', ['-xzf', tarball, '--strip-components=1', '-C', home])
  copyNeeded(home, root, join(folder, 'node_modules'), new Set())
  return join(home, 'bin/spanwatch.js')
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Copies what the package in a folder needs, found from where it is installed here, and what that needs. */
function copyNeeded(folder: string, place: string, target: string, done: Set<string>): void {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })) {
    const found = findPackage(name, place)
    // An optional one is for another platform.
    if (found === null || done.has(found)) continue
    done.add(found)
    const to = join(target, relative(join(root, 'node_modules'), found))
    cpSync(found, to, { recursive: true, filter: (path) => path === found || !isLeftOut(path) })
    copyNeeded(found, found, target, done)
  }
}

/** Packages inside a package are copied on their own account; types and maps are no part of a program. */
const isLeftOut = (path: string) => /\/node_modules$|\.d\.[cm]?ts$|\.map$/.test(path)

/** Where Node would look from a place: in its own node_modules, then in those above. */
function findPackage(name: string, place: string): string | null {
  const found = join(place, 'node_modules', name)
  if (existsSync(found)) return found
  return place === root ? null : findPackage(name, dirname(place))
}
