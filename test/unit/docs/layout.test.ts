import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { checks } from '../../../src/checks/index.ts'
import { listBlocks, listCodes, listLinks, readDoc, readTable, root } from './markdown.ts'

const guides = ['docs/architecture.md', 'CONTRIBUTING.md', 'docs/words.md']

/** Places of the repository that a text names, without the parts that stand for a name of one's own. */
function listPlaces(text: string): string[] {
  const places = listCodes(text).filter((code) => /^(src|test|docs|rules|bench|\.ci)\/[\w./-]*$/.test(code))
  // Drawings leave `src/` out.
  const drawn = listBlocks(text).flatMap((block) => block.text.match(/[\w./]*\w\/\w+\.ts\b/g) ?? [])
  return [...places, ...drawn.map((place) => `src/${place}`)]
}

test.each(guides)('the files and folders that %s names are there', (path) => {
  const text = readDoc(path)
  const places = listPlaces(text)
  const links = listLinks(text).map((link) => normalize(join(dirname(path), link)))
  expect([...places, ...links].filter((place) => !existsSync(join(root, place)))).toEqual([])
})

test('a file that is gone would be noticed', () => {
  expect(listPlaces('see `src/main.ts`, `src/gone.ts` and `src/checks/<check>/check.ts`')).toEqual([
    'src/main.ts',
    'src/gone.ts',
  ])
  expect(listPlaces('```\nmain.ts calls cli/gone.ts\n```\n')).toEqual(['src/cli/gone.ts'])
})

const rooms = readTable(readDoc('docs/architecture.md'), 'room', 'holds').map(
  ([cell = '']) => listCodes(cell)[0] ?? '',
)

test('the rooms of docs/architecture.md are those of src', () => {
  const present = readdirSync(join(root, 'src'), { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `src/${entry.name}/` : `src/${entry.name}`,
  )
  expect(rooms.toSorted()).toEqual(present.toSorted())
})

test('the checks of docs/architecture.md are those of checks/index.ts, in its order', () => {
  const named = readTable(readDoc('docs/architecture.md'), 'check', 'watches').map(
    ([cell = '']) => listCodes(cell)[0],
  )
  expect(named).toEqual(checks.map(({ name }) => name))
})

interface Import {
  readonly from: string
  readonly to: string
}

const imports = globSync('src/**/*.ts', { cwd: root }).flatMap((from): Import[] => {
  const text = readFileSync(join(root, from), 'utf8')
  const targets = [...text.matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, target = '']) => target)
  const places = targets.map((target) => normalize(join(dirname(from), target)))
  return places.filter((to) => to.startsWith('src/')).map((to) => ({ from, to }))
})
const rankOf = (path: string) => rooms.findIndex((room) => path.startsWith(room))
const checkOf = (path: string) => /^src\/checks\/(\w+)\//.exec(path)?.[1] ?? null

test('imports run down the list of rooms', () => {
  expect(imports.length).toBeGreaterThan(1_000)
  expect(imports.filter(({ from, to }) => rankOf(from) > rankOf(to))).toEqual([])
})

test('no check imports another check', () => {
  const crossing = imports.filter(({ from, to }) => {
    const [one, other] = [checkOf(from), checkOf(to)]
    return one !== null && other !== null && one !== other
  })
  expect(crossing).toEqual([])
})

/** Of an import between folders: the folder that holds both, and its two parts that the import ties; null within one. */
function findTie({ from, to }: Import): { readonly place: string; readonly ends: readonly string[] } | null {
  const [start, end] = [from.split('/').slice(0, -1), to.split('/').slice(0, -1)]
  const depth = start.findIndex((name, at) => name !== end[at])
  const [own, other] = [start[depth], end[depth]]
  return own === undefined || other === undefined
    ? null
    : { place: start.slice(0, depth).join('/'), ends: [own, other] }
}

test('folders beside each other import one way', () => {
  const ties = imports.flatMap((one) => findTie(one) ?? [])
  const named = new Set(ties.map(({ place, ends }) => `${place}: ${ends.join(' and ')}`))
  const circles = ties.filter(({ place, ends }) => named.has(`${place}: ${ends.toReversed().join(' and ')}`))
  expect(named.size).toBeGreaterThan(100)
  expect(circles).toEqual([])
})
