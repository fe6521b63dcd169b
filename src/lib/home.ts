import { createRequire } from 'node:module'
import { dirname } from 'node:path'

/** The folder that spanwatch was cloned or installed into: what it reads when it runs lies there, wherever its code does. */
export const home = dirname(createRequire(import.meta.url).resolve('spanwatch/package.json'))
