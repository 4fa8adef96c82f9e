/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SCORIA_IRQ_H
#define SCORIA_IRQ_H

#include <linux/interrupt.h>

struct device;
struct iommu_domain;

/**
 * scoria_irq_handler() - handler of the line that a core shares with its IOMMU
 * @irq: number of the line
 * @data: the core
 *
 * Return: IRQ_HANDLED when the interrupt was the core's.
 */
irqreturn_t scoria_irq_handler(int irq, void *data);

/**
 * scoria_irq_iommu_fault() - the NPU has used an address that is not mapped
 * @domain: page tables
 * @iommu: the device of the IOMMU
 * @iova: the address
 * @flags: IOMMU_FAULT_*
 * @data: the address space
 *
 * From the interrupt handler of an IOMMU.
 *
 * Return: 0.
 */
int scoria_irq_iommu_fault(struct iommu_domain *domain, struct device *iommu,
			   unsigned long iova, int flags, void *data);

#endif
