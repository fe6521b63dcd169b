import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readDoc, readTable, root } from './markdown.ts'

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly devOptional?: boolean
}

const lock: { packages: Record<string, Locked> } = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
)

/** What a production install brings; builds of one thing for many platforms stand together. */
function listInstalled(): Set<string> {
  const rows = Object.entries(lock.packages)
    // Not the folders of build/ that say what a clone brings beside.
    .filter(([path]) => /^node_modules\/(?!spanwatch-)/.test(path))
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(([path, { license }]) => [path.replace(/^.*node_modules\//, ''), license ?? 'unknown'] as const)
    .map(
      ([name, license]) =>
        [name.replace(/^(@resvg\/resvg-js|@typescript\/typescript|node)-.+$/, '$1-*'), license] as const,
    )
  return new Set(rows.map(([name, license]) => `${name}: ${license}`))
}

test('every package that a production install brings stands in docs/licences.md with its licence', () => {
  const rows = readTable(readDoc('docs/licences.md'), 'licence', 'packages')
  const named = rows.flatMap(([licence = '', packages = '']) =>
    packages.split(', ').map((name) => `${name.replaceAll('`', '')}: ${licence}`),
  )
  expect(named.toSorted()).toEqual([...listInstalled()].toSorted())
})
