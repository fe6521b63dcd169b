import { existsSync } from 'node:fs'
import { join } from 'node:path'

// What npm runs after `npm ci` and before it packs. Without the tools (`--omit=dev`) nothing is built, and a clone runs its sources.
if (existsSync(join(import.meta.dirname, '../node_modules/rolldown'))) await import('./build.ts')
