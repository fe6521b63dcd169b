import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const { listSources }: { listSources: (home: string) => string } = await import(
  new URL('../../../bin/listSources.js', import.meta.url).href
)

function createClone(): string {
  const home = mkdtempSync(join(tmpdir(), 'spanwatch-clone-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  for (const folder of ['src/lib', 'build']) mkdirSync(join(home, folder), { recursive: true })
  for (const file of ['src/main.ts', 'src/lib/clock.ts', 'build/build.ts', 'package-lock.json'])
    writeFileSync(join(home, file), file)
  return home
}

test('a clone that nobody touched is what was built', () => {
  const home = createClone()
  expect(listSources(home)).toBe(listSources(home))
  expect(listSources(home).match(/^\S+/gm)).toEqual([
    'build/build.ts',
    'package-lock.json',
    'src/lib/clock.ts',
    'src/main.ts',
  ])
})

test('one whose lock file npm wrote anew as it was still is', () => {
  const home = createClone()
  const built = listSources(home)
  utimesSync(join(home, 'package-lock.json'), 1, 1)
  expect(listSources(home)).toBe(built)
})

test.each([
  { what: 'edited', change: (home: string) => writeFileSync(join(home, 'src/lib/clock.ts'), 'other') },
  {
    what: 'edited to the same length',
    change: (home: string) => utimesSync(join(home, 'src/main.ts'), 1, 1),
  },
  { what: 'added', change: (home: string) => writeFileSync(join(home, 'src/lib/more.ts'), '') },
  { what: 'removed', change: (home: string) => rmSync(join(home, 'src/lib/clock.ts')) },
  {
    what: 'another set of packages',
    change: (home: string) => writeFileSync(join(home, 'package-lock.json'), '{}'),
  },
])('one with a source $what is not', ({ change }) => {
  const home = createClone()
  const built = listSources(home)
  change(home)
  expect(listSources(home)).not.toBe(built)
})
