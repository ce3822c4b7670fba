/*
 * A Vulkan layer for tests: the processor's own Vulkan device (Mesa's lavapipe) gives SwiftShader's vendor and device
 * ids. Chromium takes a CPU device for WebGPU only under those ids, but SwiftShader itself lacks 16-bit floats in
 * shaders and is far slower. Nothing else about the device is changed.
 */
#include <string.h>
#include <vulkan/vk_layer.h>
#include <vulkan/vulkan.h>

#define EXPORT __attribute__((visibility("default")))
#define MAX_INSTANCES 32

enum { VENDOR_GOOGLE = 0x1AE0, DEVICE_SWIFTSHADER = 0xC0DE };

/* What comes after this layer, for each instance. The loader's dispatch table, the first word of a handle, is the key:
 * physical devices share it with the instance that they belong to. */
struct next_in_chain {
  void *key;
  PFN_vkGetInstanceProcAddr get_proc;
  PFN_vkGetPhysicalDeviceProperties properties;
  PFN_vkGetPhysicalDeviceProperties2 properties2;
  PFN_vkDestroyInstance destroy;
};
static struct next_in_chain instances[MAX_INSTANCES];

static void *key_of(const void *handle) { return *(void *const *)handle; }

static struct next_in_chain *find(void *key) {
  for (int i = 0; i < MAX_INSTANCES; i++)
    if (instances[i].key == key) return &instances[i];
  return NULL;
}

static void rename_cpu(VkPhysicalDeviceProperties *properties) {
  if (properties->deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU) {
    properties->vendorID = VENDOR_GOOGLE;
    properties->deviceID = DEVICE_SWIFTSHADER;
  }
}

static VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties *out) {
  struct next_in_chain *next = find(key_of(device));
  if (!next) return;
  next->properties(device, out);
  rename_cpu(out);
}

static VKAPI_ATTR void VKAPI_CALL properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2 *out) {
  struct next_in_chain *next = find(key_of(device));
  if (!next || !next->properties2) return;
  next->properties2(device, out);
  rename_cpu(&out->properties);
}

/* The loader hands every layer the next one in a list inside pNext; taking it moves the list on. */
static VkLayerInstanceLink *take_instance_link(const VkInstanceCreateInfo *info) {
  VkLayerInstanceCreateInfo *entry = (VkLayerInstanceCreateInfo *)info->pNext;
  for (; entry; entry = (VkLayerInstanceCreateInfo *)entry->pNext) {
    if (entry->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && entry->function == VK_LAYER_LINK_INFO) {
      VkLayerInstanceLink *link = entry->u.pLayerInfo;
      entry->u.pLayerInfo = link->pNext;
      return link;
    }
  }
  return NULL;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator, VkInstance *out) {
  VkLayerInstanceLink *link = take_instance_link(info);
  struct next_in_chain *slot = find(NULL);
  if (!link || !slot) return VK_ERROR_INITIALIZATION_FAILED;
  PFN_vkGetInstanceProcAddr get_proc = link->pfnNextGetInstanceProcAddr;
  PFN_vkCreateInstance create = (PFN_vkCreateInstance)get_proc(NULL, "vkCreateInstance");
  VkResult result = create(info, allocator, out);
  if (result != VK_SUCCESS) return result;
  slot->get_proc = get_proc;
  slot->properties = (PFN_vkGetPhysicalDeviceProperties)get_proc(*out, "vkGetPhysicalDeviceProperties");
  slot->properties2 = (PFN_vkGetPhysicalDeviceProperties2)get_proc(*out, "vkGetPhysicalDeviceProperties2");
  if (!slot->properties2)
    slot->properties2 = (PFN_vkGetPhysicalDeviceProperties2)get_proc(*out, "vkGetPhysicalDeviceProperties2KHR");
  slot->destroy = (PFN_vkDestroyInstance)get_proc(*out, "vkDestroyInstance");
  slot->key = key_of(*out);
  return VK_SUCCESS;
}

static VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks *allocator) {
  struct next_in_chain *next = instance ? find(key_of(instance)) : NULL;
  if (!next) return;
  PFN_vkDestroyInstance destroy = next->destroy;
  memset(next, 0, sizeof *next);
  destroy(instance, allocator);
}

EXPORT VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_get_instance_proc(VkInstance instance, const char *name) {
  if (!strcmp(name, "vkGetInstanceProcAddr")) return (PFN_vkVoidFunction)layer_get_instance_proc;
  if (!strcmp(name, "vkCreateInstance")) return (PFN_vkVoidFunction)create_instance;
  if (!strcmp(name, "vkDestroyInstance")) return (PFN_vkVoidFunction)destroy_instance;
  if (!strcmp(name, "vkGetPhysicalDeviceProperties")) return (PFN_vkVoidFunction)properties;
  if (!strcmp(name, "vkGetPhysicalDeviceProperties2") || !strcmp(name, "vkGetPhysicalDeviceProperties2KHR"))
    return (PFN_vkVoidFunction)properties2;
  struct next_in_chain *next = instance ? find(key_of(instance)) : NULL;
  return next ? next->get_proc(instance, name) : NULL;
}

/* No device functions of its own: without a vkGetDeviceProcAddr the loader leaves this layer out of device chains. */
EXPORT VKAPI_ATTR VkResult VKAPI_CALL vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *agreed) {
  if (agreed->loaderLayerInterfaceVersion < 2) return VK_ERROR_INITIALIZATION_FAILED;
  agreed->loaderLayerInterfaceVersion = 2;
  agreed->pfnGetInstanceProcAddr = layer_get_instance_proc;
  agreed->pfnGetDeviceProcAddr = NULL;
  agreed->pfnGetPhysicalDeviceProcAddr = NULL;
  return VK_SUCCESS;
}
