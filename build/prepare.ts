import { existsSync } from 'node:fs'
import { join } from 'node:path'

// What npm runs after `npm ci` and before it packs. Without the tools (`--omit=dev`) nothing is built, and a clone runs its
// sources; so it does where they do not run on this machine: an installation does not fail for that, a package does.
if (existsSync(join(import.meta.dirname, '../node_modules/rolldown'))) {
  try {
    await import('./build.ts')
  } catch (error) {
    if (process.env['npm_command'] === 'pack' || process.env['npm_command'] === 'publish') throw error
    console.error('spanwatch could not be built, and runs its sources:', error)
  }
}
