import { z } from 'zod'
import { configSchema } from './schema.ts'
import { settingTexts } from './settingTexts.ts'

/** `${NAME}` stands for any text: what it brings is looked at when it is read. */
const orText = String.raw`|\$\{`

/** JSON Schema of `spanwatch.yaml`, for editors: every setting says what it means. */
export function configJsonSchema(): SchemaNode {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      const { pattern } = jsonSchema
      // What is made of another schema comes with what was written for that.
      if (pattern !== undefined && !pattern.endsWith(orText)) jsonSchema.pattern = `(?:${pattern})${orText}`
    },
  }) as SchemaNode
  for (const { path, nodes } of listSettings(schema)) {
    for (const node of nodes) {
      const form = node.description === undefined ? '' : ` Expects ${node.description}.`
      if (settingTexts[path] !== undefined) node.description = `${settingTexts[path]}${form}`
    }
  }
  return Object.assign(schema, { title: 'spanwatch configuration' })
}

/** A node of a JSON Schema, as far as settings are listed from it. */
export interface SchemaNode {
  description?: string
  readonly type?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, SchemaNode>>
  readonly required?: readonly string[]
  readonly items?: SchemaNode
  readonly additionalProperties?: SchemaNode | boolean
  readonly anyOf?: readonly SchemaNode[]
  readonly oneOf?: readonly SchemaNode[]
}

export interface Setting {
  /** `explorer.pace.concurrency`; `[]` is every entry of a list, `NAME` a name of one's own. */
  readonly path: string
  readonly nodes: readonly SchemaNode[]
}

/** Every setting of a configuration's JSON Schema, in its order. A setting of several variants is one setting. */
export function listSettings(root: SchemaNode): Setting[] {
  const found = new Map<string, SchemaNode[]>()
  visit(root, '', found)
  return [...found].map(([path, nodes]) => ({ path, nodes }))
}

function visit(node: SchemaNode, path: string, found: Map<string, SchemaNode[]>): void {
  for (const variant of [...(node.anyOf ?? []), ...(node.oneOf ?? [])]) visit(variant, path, found)
  for (const [name, child] of Object.entries(node.properties ?? {})) {
    const below = path === '' ? name : `${path}.${name}`
    found.set(below, [...(found.get(below) ?? []), child])
    visit(child, below, found)
  }
  if (node.items) visit(node.items, `${path}[]`, found)
  if (typeof node.additionalProperties === 'object') {
    const below = `${path}.NAME`
    found.set(below, [...(found.get(below) ?? []), node.additionalProperties])
    visit(node.additionalProperties, below, found)
  }
}
