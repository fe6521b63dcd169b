import { Liquid } from 'liquidjs'
import { templateFilters } from './templateFilters.ts'

/** Tags that can neither read a file nor keep a template busy beyond the render limits. */
const allowedTags = new Set([
  'assign',
  'break',
  'capture',
  'case',
  'comment',
  'continue',
  'echo',
  'for',
  'if',
  'raw',
  'unless',
  '#',
])

/** Filters that take an expression from their argument, which may be data: what data says must never be evaluated. */
const evaluatingFilters = /_exp$/

/** Liquid without files, without prototypes, with small limits and our own filters. */
export function createTemplateEngine(): Liquid {
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: true,
    ownPropertyOnly: true,
    dynamicPartials: false,
    relativeReference: false,
    cache: false,
    parseLimit: 20_000,
    // Wall time, so that a busy machine must not cut a good text short; memory bounds the loops.
    renderLimit: 500,
    memoryLimit: 200_000,
    fs: noFiles,
  })
  for (const tag of Object.keys(engine.tags)) if (!allowedTags.has(tag)) delete engine.tags[tag]
  for (const filter of Object.keys(engine.filters)) {
    if (evaluatingFilters.test(filter)) delete engine.filters[filter]
  }
  for (const [name, filter] of Object.entries(templateFilters)) engine.registerFilter(name, filter)
  return engine
}

const noFiles = {
  exists: async () => false,
  existsSync: () => false,
  readFile: async (): Promise<string> => refuse(),
  readFileSync: (): string => refuse(),
  resolve: (_directory: string, file: string) => file,
}

function refuse(): never {
  throw new Error('templates read no files')
}
