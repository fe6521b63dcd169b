import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What a clone's program is made from, with size and time of each file, as git knows whether one was changed. */
export function listSources(home) {
  const files = readdirSync(join(home, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const sources = [...files, join(home, 'build/build.ts')].map((path) => {
    const { size, mtimeMs } = statSync(path)
    return `${relative(home, path)} ${size} ${mtimeMs}\n`
  })
  // npm writes it anew as it was, as when it takes away what only tests need.
  const packages = createHash('sha256')
    .update(readFileSync(join(home, 'package-lock.json')))
    .digest('hex')
  return [...sources, `package-lock.json ${packages}\n`].sort().join('')
}
