#!/usr/bin/env python3
"""Writes a driver in C: init, exit, read, write, ioctl with 20 commands, an interrupt handler, three locks and two lists. It keeps
ten rules of interface use, or breaks one of them in the last command.

    driver.py LINES [--fault RULE] [--allocator function|macro]        the text
    driver.py --measure SLAM [--lines 1000,2000,4000,8000]             a table: verdicts and CPU time of the ten rules

The faults are named as the rules: spinlock, mutex, rwlock, alloc_spinlock, usblock, module, class, bitops, rculock, irq."""
import argparse, os, pathlib, resource, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ["spinlock", "mutex", "rwlock", "alloc_spinlock", "usblock", "module", "class", "bitops", "rculock", "irq"]
COMMANDS = 20

HEAD = """\
/* Made by scripts/driver.py. */
typedef unsigned long size_t;
extern void *malloc(size_t size);
extern void free(void *memory);
extern int __VERIFIER_nondet_int(void);

#define NULL ((void *)0)
#define GFP_NOIO 16
#define GFP_ATOMIC 32
#define GFP_KERNEL 208

struct spinlock { int word; };
struct mutex { int word; };
struct rwlock { int word; };
struct class { int id; };
struct module { int id; };
struct usb_device { int id; };
void spin_lock(struct spinlock *lock);
void spin_unlock(struct spinlock *lock);
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);
void read_lock(struct rwlock *lock);
void read_unlock(struct rwlock *lock);
void write_lock(struct rwlock *lock);
void write_unlock(struct rwlock *lock);
void rcu_read_lock(void);
void rcu_read_unlock(void);
int class_interface_register(struct class *c);
void class_interface_unregister(struct class *c);
int try_module_get(struct module *m);
void module_put(struct module *m);
void usb_lock_device(struct usb_device *device);
void usb_unlock_device(struct usb_device *device);
unsigned long find_next_bit(const unsigned long *map, unsigned long size, unsigned long offset);
int request_irq(unsigned int line);
void free_irq(unsigned int line);

static struct class driver_class;
static struct module this_module;
static struct usb_device usb;
static unsigned long map[4];

struct list_head { struct list_head *next, *prev; };
struct device {
  struct spinlock list_lock;
  struct mutex state_lock;
  struct rwlock table_lock;
  int open;
  int failed;
  int level;
  struct list_head items;
  struct list_head waiting;
};
struct item { struct list_head node; int id; int size; };
struct request { int command; int argument; int result; };
"""

ALLOCATORS = {
    "function": """
static void *kmalloc(size_t size, int flags) {
  void *memory = malloc(size);
  if (flags < 0)
    return NULL;
  return memory;
}
static void kfree(void *memory) { free(memory); }
""",
    "macro": """
#define kmalloc(size, flags) malloc(size)
#define kfree(memory) free(memory)
""",
}

LISTS = """
static struct device *the_device;

static void list_init(struct list_head *head) {
  head->next = head;
  head->prev = head;
}

static void list_add(struct list_head *node, struct list_head *head) {
  node->next = head->next;
  node->prev = head;
  head->next->prev = node;
  head->next = node;
}

static void list_del(struct list_head *node) {
  node->prev->next = node->next;
  node->next->prev = node->prev;
}

static struct item *item_new(int id, int flags) {
  struct item *item = kmalloc(sizeof *item, flags);
  if (item == NULL)
    return NULL;
  item->id = id;
  item->size = 0;
  return item;
}

static int driver_init(void) {
  struct device *device;
  if (class_interface_register(&driver_class))
    return -1;
  device = kmalloc(sizeof *device, GFP_KERNEL);
  if (device == NULL) {
    %(class)s
    return -12;
  }
  device->open = 0;
  device->failed = 0;
  device->level = 0;
  list_init(&device->items);
  list_init(&device->waiting);
  if (request_irq(5)) {
    kfree(device);
    class_interface_unregister(&driver_class);
    return -16;
  }
  the_device = device;
  return 0;
}

static void driver_exit(void) {
  struct device *device = the_device;
  free_irq(5);
  class_interface_unregister(&driver_class);
  the_device = NULL;
  kfree(device);
}

static int driver_read(struct device *device, int count) {
  struct item *item;
  struct list_head *at;
  spin_lock(&device->list_lock);
  if (device->items.next == &device->items) {
    spin_unlock(&device->list_lock);
    return 0;
  }
  at = device->items.next;
  item = (struct item *)((char *)at - (size_t)&((struct item *)0)->node);
  list_del(at);
  list_add(at, &device->waiting);
  count += item->size;
  spin_unlock(&device->list_lock);
  return count;
}

static int driver_write(struct device *device, int count) {
  struct item *item = item_new(count, GFP_KERNEL);
  if (item == NULL)
    return -12;
  spin_lock(&device->list_lock);
  list_add(&item->node, &device->items);
  spin_unlock(&device->list_lock);
  return count;
}

static int driver_interrupt(struct device *device) {
  spin_lock(&device->list_lock);
  if (device->failed) {
    spin_unlock(&device->list_lock);
    return 0;
  }
  device->level++;
  spin_unlock(&device->list_lock);
  return 1;
}
"""

# The work of a command, by the number of the command modulo their number: what is written before, and behind.
WORKS = [
    ("spin_lock(&device->list_lock);", "spin_unlock(&device->list_lock);"),
    ("mutex_lock(&device->state_lock);", "mutex_unlock(&device->state_lock);"),
    ("read_lock(&device->table_lock);", "read_unlock(&device->table_lock);"),
    ("write_lock(&device->table_lock);", "write_unlock(&device->table_lock);"),
    ("rcu_read_lock();", "rcu_read_unlock();"),
    ("usb_lock_device(&usb);\n  item = item_new(request->command, GFP_NOIO);", "usb_unlock_device(&usb);"),
    ("if (!try_module_get(&this_module))\n    return -19;", "module_put(&this_module);"),
    ("spin_lock(&device->list_lock);\n  item = item_new(request->command, GFP_ATOMIC);", "spin_unlock(&device->list_lock);"),
    ("if (find_next_bit(map, 256, 64) < 256)\n    value++;", ""),
]

FAULTS = {
    "spinlock": "spin_lock(&device->list_lock);\n  if (value == 17)\n    return -5;\n  spin_unlock(&device->list_lock);",
    "mutex": "mutex_lock(&device->state_lock);\n  if (value == 17)\n    mutex_lock(&device->state_lock);\n  mutex_unlock(&device->state_lock);",
    "rwlock": "write_lock(&device->table_lock);\n  if (value == 17)\n    read_unlock(&device->table_lock);\n  write_unlock(&device->table_lock);",
    "alloc_spinlock": "spin_lock(&device->list_lock);\n  if (value == 17)\n    item = item_new(value, GFP_KERNEL);\n  spin_unlock(&device->list_lock);",
    "usblock": "usb_lock_device(&usb);\n  if (value == 17)\n    item = item_new(value, GFP_KERNEL);\n  usb_unlock_device(&usb);",
    "module": "if (value == 17)\n    module_put(&this_module);",
    "bitops": "if (value == 17 && find_next_bit(map, 128, 192) < 128)\n    value++;",
    "rculock": "if (value == 17)\n    rcu_read_unlock();",
    "irq": "if (value == 17)\n    free_irq(5);",
}


def step(command, number):
    """One of the functions in which a command computes: nine lines."""
    name = f"compute_{command}_{number}"
    return name, f"""
static int {name}(struct request *request, int level) {{
  int value = request->argument % {number + 7};
  if (value > level)
    value -= level;
  else if (value < {command})
    value += {number % 5 + 1};
  request->result = value;
  return value;
}}
"""


def command(number, steps, fault):
    """The functions of a command, and itself."""
    before, behind = WORKS[number % len(WORKS)]
    out, names = [], []
    for n in range(steps):
        name, text = step(number, n)
        names.append(name)
        out.append(text)
    out.append(f"\nstatic int command_{number}(struct device *device, struct request *request) {{\n")
    out.append("  struct item *item = NULL;\n  int value = 0;\n")
    out.append(f"  {before}\n")
    out.extend(f"  value += {name}(request, device->level % 100) % 100;\n" for name in names[:8])
    if behind:
        out.append(f"  {behind}\n")
    out.extend(f"  value = {name}(request, value % 100) % 100;\n" for name in names[8:])
    if number == COMMANDS - 1 and fault in FAULTS:
        out.append("  value = request->argument;\n")
        out.append(f"  {FAULTS[fault]}\n")
    out.append("  if (item != NULL)\n    kfree(item);\n  return value;\n}\n")
    return "".join(out)


def driver(lines, fault=None, allocator="function"):
    """The text of a driver of about so many lines."""
    class_end = "" if fault == "class" else "class_interface_unregister(&driver_class);"
    head = HEAD + ALLOCATORS[allocator] + LISTS % {"class": class_end or ";"}
    end = ["\nstatic int driver_ioctl(struct device *device, int number, int argument) {\n"]
    end.append("  struct request request;\n  request.command = number;\n  request.argument = argument;\n  request.result = 0;\n")
    end.append("  switch (number) {\n")
    for n in range(COMMANDS):
        end.append(f"  case {n}:\n    return command_{n}(device, &request);\n")
    end.append("  default:\n    return -22;\n  }\n}\n")
    end.append("""
int main(void) {
  if (driver_init())
    return 0;
  while (__VERIFIER_nondet_int()) {
    switch (__VERIFIER_nondet_int()) {
    case 0:
      driver_read(the_device, __VERIFIER_nondet_int() % 100);
      break;
    case 1:
      driver_write(the_device, __VERIFIER_nondet_int() % 100);
      break;
    case 2:
      driver_ioctl(the_device, __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
      break;
    default:
      driver_interrupt(the_device);
    }
  }
  driver_exit();
  return 0;
}
""")
    end = "".join(end)
    least = (head + end).count("\n") + COMMANDS * 10
    steps = max(1, (lines - least) // (COMMANDS * 11))
    return head + "".join(command(n, steps, fault) for n in range(COMMANDS)) + end


def rule_of(name):
    return str(ROOT / "examples/rules/driver/irq.slic") if name == "irq" else f"linux/{name}"


def run(slam, rules, file):
    """The verdict line, the text and the CPU seconds of a run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    args = [slam, "check", "--rule", ",".join(rules), "--time-limit", "100s", str(file)]
    done = subprocess.run(args, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    text = done.stdout
    verdict = text.strip().splitlines()[-1] if text.strip() else f"exit status {done.returncode}"
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return verdict.removeprefix("VERDICT: "), text, cpu


def measure(slam, sizes):
    print("| lines | safe: ten rules | CPU s | faults found | CPU s, all ten |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "driver.c"
        for size in sizes:
            text = driver(size)
            file.write_text(text)
            verdict, out, cpu = run(slam, [rule_of(r) for r in RULES], file)
            if verdict != "SAFE":
                print(out, file=sys.stderr)
            found, spent = 0, 0.0
            for fault in RULES:
                file.write_text(driver(size, fault))
                answer, _, seconds = run(slam, [rule_of(fault)], file)
                spent += seconds
                found += answer.startswith("UNSAFE(rule")
                if not answer.startswith("UNSAFE(rule"):
                    print(f"{size} {fault}: {answer}", file=sys.stderr)
            print(f"| {text.count(chr(10))} | {verdict} | {cpu:.1f} | {found} of {len(RULES)} | {spent:.1f} |", flush=True)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("size", nargs="?", type=int)
    ap.add_argument("--fault", choices=RULES)
    ap.add_argument("--allocator", choices=sorted(ALLOCATORS), default="function")
    ap.add_argument("--measure", metavar="SLAM")
    ap.add_argument("--lines", default="1000,2000,4000,8000")
    given = ap.parse_args()
    if given.measure:
        measure(os.path.abspath(given.measure), [int(n) for n in given.lines.split(",")])
    elif given.size:
        sys.stdout.write(driver(given.size, given.fault, given.allocator))
    else:
        ap.error("a number of lines, or --measure")


if __name__ == "__main__":
    main()
