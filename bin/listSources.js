import { readdirSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'

/** What a clone's program is made from, with size and time of each file, as git knows whether one was changed. */
export function listSources(home) {
  const files = readdirSync(join(home, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return [...files, join(home, 'build/build.ts'), join(home, 'package-lock.json')]
    .map((path) => {
      const { size, mtimeMs } = statSync(path)
      return `${relative(home, path)} ${size} ${mtimeMs}\n`
    })
    .sort()
    .join('')
}
