// SPDX-License-Identifier: MIT
/* The NPU in the device tree, as the kernel shows it below /proc/device-tree. */
#include <stdio.h>
#include <string.h>

#include "doctor.h"
#include "root.h"

#define TREE		"/proc/device-tree"
#define CORE		"rockchip,rk3588-rknn-core"
#define VENDOR_CORE	"rockchip,rk3588-rknpu"
#define OVERLAYS	"Documentation/devicetree/overlays"

/* Whether a property that is a list of strings has @value. */
static bool has_string(const struct doctor *doctor, const char *node, const char *property,
		       const char *value)
{
	char list[512];
	const ssize_t length = root_read(doctor->root, list, sizeof(list), "%s/%s", node, property);

	for (ssize_t i = 0; i < length; i += (ssize_t)strlen(list + i) + 1)
		if (!strcmp(list + i, value))
			return true;
	return false;
}

/* A node without a status is enabled. */
static bool is_enabled(const struct doctor *doctor, const char *node)
{
	return !root_exists(doctor->root, "%s/status", node) ||
	       has_string(doctor, node, "status", "okay") || has_string(doctor, node, "status", "ok");
}

/* The first cell of a property, 0 when there is none. */
static uint32_t first_cell(const struct doctor *doctor, const char *node, const char *property)
{
	unsigned char cell[5];
	const ssize_t length = root_read(doctor->root, (char *)cell, sizeof(cell), "%s/%s", node,
					 property);

	if (length < 4)
		return 0;
	return (uint32_t)cell[0] << 24 | cell[1] << 16 | cell[2] << 8 | cell[3];
}

static void add_core(struct doctor *doctor, const char *node, const char *name)
{
	struct tree *tree = &doctor->tree;
	struct tree_core *core = &tree->cores[tree->n_cores];
	const char *address = strchr(name, '@');

	if (tree->n_cores == DOCTOR_CORES)
		return;
	tree->n_cores++;
	snprintf(core->node, sizeof(core->node), "%s", node + strlen(TREE));
	snprintf(core->device, sizeof(core->device), "%s.npu", address + 1);
	core->enabled = is_enabled(doctor, node);
	core->iommu = first_cell(doctor, node, "iommus");
}

/* The nodes of a bus whose names begin with @prefix. */
static void each_node(struct doctor *doctor, const char *bus, const char *prefix,
		      void (*each)(struct doctor *doctor, const char *node, const char *name,
				   void *ctx), void *ctx)
{
	DIR *dir = root_opendir(doctor->root, "%s", bus);
	char node[256];
	const char *name;

	if (!dir)
		return;
	for (name = root_readdir(dir); name; name = root_readdir(dir)) {
		if (strncmp(name, prefix, strlen(prefix)))
			continue;
		snprintf(node, sizeof(node), "%s/%.200s", bus, name);
		each(doctor, node, name, ctx);
	}
	closedir(dir);
}

/* Mainline has the nodes at the top, some trees in a bus. */
static const char * const buses[] = { TREE, TREE "/soc" };

#define N_BUSES (sizeof(buses) / sizeof(buses[0]))

static void look_at(struct doctor *doctor, const char *node, const char *name, void *ctx)
{
	(void)ctx;
	if (has_string(doctor, node, "compatible", CORE))
		add_core(doctor, node, name);
	else if (has_string(doctor, node, "compatible", VENDOR_CORE))
		snprintf(doctor->tree.vendor, sizeof(doctor->tree.vendor), "%s",
			 node + strlen(TREE));
}

void doctor_read_tree(struct doctor *doctor)
{
	doctor->tree.readable = root_exists(doctor->root, TREE);
	doctor->tree.symbols = root_exists(doctor->root, TREE "/__symbols__");
	for (size_t i = 0; i < N_BUSES; i++)
		each_node(doctor, buses[i], "npu@", look_at, NULL);
}

/* An overlay, where one can be applied; most of Debian's trees have no symbols. */
static void fix_by_overlay(const struct doctor *doctor, struct finding *finding, const char *name)
{
	if (doctor->tree.symbols)
		append(finding->fix, sizeof(finding->fix),
		       "apply " OVERLAYS "/%s to the board's device tree, as "
		       "Documentation/devicetree/README.md shows", name);
	else
		append(finding->fix, sizeof(finding->fix),
		       "the running tree has no __symbols__, so that no overlay can be applied to "
		       "it: tools/devicetree/add-npu BOARD.dtb NEW.dtb makes one with the NPU from "
		       "the board's; Documentation/devicetree/README.md shows where they belong");
}

static void find_disabled(const struct doctor *doctor, struct finding *finding,
			  unsigned int enabled)
{
	const struct tree *tree = &doctor->tree;

	for (unsigned int i = 0; i < tree->n_cores; i++)
		if (!tree->cores[i].enabled)
			append(finding->found, sizeof(finding->found), "%s%s",
			       finding->found[0] ? ", " : "", tree->cores[i].node);
	append(finding->found, sizeof(finding->found), " disabled");
	if (enabled)
		append(finding->found, sizeof(finding->found), ", %u of %u cores enabled", enabled,
		       tree->n_cores);
	finding->verdict = enabled ? NOTED : BAD;
	fix_by_overlay(doctor, finding, "rk3588-npu-enable.dtso");
}

static unsigned int count_enabled(const struct tree *tree)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < tree->n_cores; i++)
		n += tree->cores[i].enabled;
	return n;
}

void check_nodes(struct doctor *doctor, struct finding *finding)
{
	const struct tree *tree = &doctor->tree;
	const unsigned int enabled = count_enabled(tree);

	if (!tree->readable) {
		find_unknown(finding, "no device tree can be seen");
	} else if (tree->n_cores && enabled == tree->n_cores) {
		find_good(finding, "%u cores, all enabled", enabled);
	} else if (tree->n_cores) {
		find_disabled(doctor, finding, enabled);
	} else if (tree->vendor[0]) {
		find_bad(finding, "boot with the board's device tree of mainline Linux "
			 "(on Debian /usr/lib/linux-image-<release>/rockchip/<board>.dtb)",
			 "the tree is the vendor's: %s is for the vendor's driver", tree->vendor);
	} else {
		find_bad(finding, NULL, "no node npu@ with compatible \"" CORE "\"");
		fix_by_overlay(doctor, finding, "rk3588-npu.dtso");
	}
}

/* The node with a phandle. */
struct wanted {
	uint32_t phandle;
	char node[256];
};

static void match_phandle(struct doctor *doctor, const char *node, const char *name, void *ctx)
{
	struct wanted *wanted = ctx;

	(void)name;
	if (first_cell(doctor, node, "phandle") == wanted->phandle)
		snprintf(wanted->node, sizeof(wanted->node), "%s", node);
}

/* What is wrong with a core's IOMMU, NULL when nothing is. */
static const char *iommu_problem(struct doctor *doctor, const struct tree_core *core)
{
	struct wanted wanted = { .phandle = core->iommu };

	if (!core->iommu)
		return "has no IOMMU";
	for (size_t i = 0; i < N_BUSES; i++)
		each_node(doctor, buses[i], "iommu@", match_phandle, &wanted);
	if (!wanted.node[0])
		return "has an IOMMU that is not in the tree";
	return is_enabled(doctor, wanted.node) ? NULL : "has an IOMMU that is disabled";
}

void check_iommus(struct doctor *doctor, struct finding *finding)
{
	const struct tree *tree = &doctor->tree;

	if (!tree->n_cores) {
		find_unknown(finding, "no device tree can be seen");
		return;
	}
	for (unsigned int i = 0; i < tree->n_cores; i++) {
		const char *problem = iommu_problem(doctor, &tree->cores[i]);

		if (problem && tree->cores[i].enabled)
			append(finding->found, sizeof(finding->found), "%s%s %s",
			       finding->found[0] ? ", " : "", tree->cores[i].node, problem);
	}
	if (!finding->found[0]) {
		find_good(finding, "every core has one that is enabled");
		return;
	}
	finding->verdict = BAD;
	fix_by_overlay(doctor, finding, "rk3588-npu-enable.dtso");
}
