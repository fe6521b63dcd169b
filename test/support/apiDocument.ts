import { Ajv2020 } from 'ajv/dist/2020.js'
import { type ApiDocument, describeApi, type Operation } from '../../src/web/api/describeApi.ts'

type Method = 'get' | 'post'

/** The API's document, to hold answers against. */
export interface DocumentCheck {
  readonly document: ApiDocument
  /** What its schema has against an answer; a field that it does not name is a problem. */
  readonly problemsOf: (asked: { method: Method; path: string; status: number }, body: unknown) => string[]
  /** What the schema of its body has against a request. */
  readonly problemsOfBody: (path: string, body: unknown) => string[]
}

/** @param isShortened takes an answer that leaves fields out, as an example does */
export function checkByDocument({ isShortened = false } = {}): DocumentCheck {
  const document: ApiDocument = JSON.parse(JSON.stringify(describeApi()))
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { int64: true } })
  ajv.addSchema(isShortened ? dropRequired(seal(document)) : seal(document), 'api')
  const validate = (pointer: string, body: unknown) => {
    const check = ajv.getSchema(`api#${pointer}`)
    if (!check) return [`the document has nothing at ${pointer}`]
    if (check(body)) return []
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
  return {
    document,
    problemsOf({ method, path, status }, body) {
      const template = findTemplate(document, method, path)
      const operation: Operation | undefined = document.paths[template]?.[method]
      const response = operation?.responses[status]
      if (!response) return [`${method} ${path}: the document has no answer ${status}`]
      const at =
        ('$ref' in response ? String(response.$ref).slice(1) : null) ??
        `/paths/${escape(template)}/${method}/responses/${status}`
      return validate(`${at}/content/application~1json/schema`, body)
    },
    problemsOfBody: (path, body) =>
      validate(`/paths/${escape(path)}/post/requestBody/content/application~1json/schema`, body),
  }
}

/** The path of the document that an address is of, one without parameters first. */
function findTemplate({ paths }: ApiDocument, method: Method, path: string): string {
  const plain = path.replace(/\?.*$/, '')
  const fitting = Object.keys(paths).filter(
    (template) =>
      paths[template]?.[method] && new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(plain),
  )
  return fitting.toSorted((a, b) => a.split('{').length - b.split('{').length)[0] ?? plain
}

function escape(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')
}

function dropRequired<T>(node: T): T {
  return JSON.parse(JSON.stringify(node, (key, value: unknown) => (key === 'required' ? undefined : value)))
}

/** Refuses every field that an object does not name, so that none stays undocumented. */
function seal<T>(node: T): T {
  if (Array.isArray(node)) return node.map(seal) as T
  if (typeof node !== 'object' || node === null) return node
  const sealed = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, seal(value)]))
  const isClosed =
    sealed['type'] === 'object' && 'properties' in sealed && !('additionalProperties' in sealed)
  return (isClosed ? { ...sealed, additionalProperties: false } : sealed) as T
}
